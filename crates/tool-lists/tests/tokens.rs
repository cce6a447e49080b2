//! What the levels save on the lists of real servers (`corpus/tool-lists`), or on files of the user:
//! `cargo xtask tool-tokens` runs this.

#![expect(
    clippy::print_stdout,
    reason = "a terminal program: its table is its output"
)]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linkspan_tokens::Vocabulary;
use linkspan_tool_lists::{Costs, Level, signature};
use linkspan_wire::{Json, Object};

/// What each level has to save of all lists together, in percent.
const GOALS: [(Level, f64); 2] = [(Level::Brief, 70.0), (Level::Thin, 88.0)];
/// What the compact text has to save.
const SIGNATURE_GOAL: f64 = 25.0;
const COUNTER: Vocabulary = Vocabulary::O200k;

fn main() -> ExitCode {
    match run() {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            eprintln!("{}", problems.join("\n"));
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let is_corpus = files.is_empty();
    if is_corpus {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tool-lists");
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
        files.retain(|file| file.extension().is_some_and(|it| it == "json"));
    }
    files.sort();
    let mut problems = Vec::new();
    let mut sum = Figures::default();
    println!(
        "{:22}{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "server", "tools", "wire", "full", "text", "brief", "thin"
    );
    for file in &files {
        let text = fs::read_to_string(file)?;
        let list = Json::parse(&text).map_err(|why| format!("{}: {why}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let figures = Figures::of(list, &mut problems);
        figures.print(&name);
        sum.add(&figures);
    }
    sum.print("all of them");
    let saved = sum.saved();
    println!(
        "{:22}{:>26}{:>9.1}%{:>9.1}%{:>9.1}%",
        "saved", "", saved[0], saved[1], saved[2]
    );
    println!(
        "Tokens as counted by {COUNTER}. `wire` is the whole list; the other columns are what a model gets."
    );
    if is_corpus {
        let goals = [SIGNATURE_GOAL, GOALS[0].1, GOALS[1].1];
        for ((name, goal), saved) in ["text", "brief", "thin"].iter().zip(goals).zip(saved) {
            if saved < goal {
                problems.push(format!(
                    "`{name}` saves {saved:.1} %, and {goal} % is the goal"
                ));
            }
        }
    }
    Ok(problems)
}

/// Tokens of a list.
#[derive(Default)]
struct Figures {
    tools: usize,
    wire: u64,
    text: u64,
    levels: [u64; 3],
}

impl Figures {
    fn of(list: Json<'_>, problems: &mut Vec<String>) -> Self {
        let tools: Vec<Json<'_>> = list
            .get("tools")
            .into_iter()
            .flat_map(Json::elements)
            .collect();
        let costs = Costs::new(tools.iter().copied(), COUNTER);
        let mut text = 0;
        for tool in &tools {
            let signature = signature(*tool);
            text += COUNTER.count(&signature);
            problems.extend(problems_of(*tool, &signature));
        }
        for (name, [full, brief, thin]) in costs.tools() {
            if brief > full || thin > brief {
                problems.push(format!("{name}: {full} tokens, brief {brief}, thin {thin}"));
            }
        }
        Self {
            tools: tools.len(),
            wire: COUNTER.count(list.get("tools").map_or("", Json::text)),
            text,
            levels: costs.total(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.tools += other.tools;
        self.wire += other.wire;
        self.text += other.text;
        self.levels = std::array::from_fn(|at| self.levels[at] + other.levels[at]);
    }

    fn print(&self, name: &str) {
        let Self {
            tools,
            wire,
            text,
            levels: [full, brief, thin],
        } = self;
        println!("{name:22}{tools:>6}{wire:>10}{full:>10}{text:>10}{brief:>10}{thin:>10}");
    }

    /// What the compact text, brief and thin save of full, in percent.
    fn saved(&self) -> [f64; 3] {
        let [full, brief, thin] = self.levels;
        let share = |tokens: u64| 100.0 - 100.0 * tokens as f64 / full.max(1) as f64;
        [share(self.text), share(brief), share(thin)]
    }
}

/// What a shorter definition has lost that it may not lose.
fn problems_of(tool: Json<'_>, signature: &str) -> Vec<String> {
    let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
    let rest = |tool: Json<'_>| {
        Object::of(Some(tool))
            .without(&["description", "inputSchema"])
            .text()
    };
    let mut problems = Vec::new();
    for level in [Level::Brief, Level::Thin] {
        let Some(shorter) = level.shorten(tool) else {
            continue;
        };
        match Json::parse(&shorter) {
            Ok(shorter) if rest(shorter) == rest(tool) => {}
            _ => problems.push(format!(
                "{name}: other members of the {level} definition differ"
            )),
        }
    }
    let mut words = BTreeSet::new();
    if let Some(schema) = tool.get("inputSchema") {
        documented(schema, &mut words);
    }
    let description = tool.get("description").and_then(Json::as_str);
    words.extend(description.into_iter().flat_map(|text| lines(&text)));
    let missing = words.iter().filter(|word| !signature.contains(&***word));
    problems.extend(missing.map(|word| format!("{name}: the text lacks {word:?}")));
    problems
}

/// The names of arguments, and the lines of their descriptions, that the text of a tool has to contain.
fn documented(schema: Json<'_>, words: &mut BTreeSet<String>) {
    if let Some(text) = schema.get("description").and_then(Json::as_str) {
        words.extend(lines(&text));
    }
    for (name, property) in schema.get("properties").into_iter().flat_map(Json::members) {
        words.insert(name.into_owned());
        documented(property, words);
    }
    for key in ["items", "additionalProperties"] {
        schema
            .get(key)
            .into_iter()
            .for_each(|inner| documented(inner, words));
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let branches = schema.get(key).into_iter().flat_map(Json::elements);
        branches.for_each(|inner| documented(inner, words));
    }
}

fn lines(text: &str) -> Vec<String> {
    text.trim()
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}
