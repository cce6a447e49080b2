//! Measures the tokens that the corpus, or the user's own files, save: `cargo xtask tokens` runs this.
//!
//! `LINKSPAN_TOON` names a program that converts JSON to TOON; without it that column is empty.

#![expect(
    clippy::print_stdout,
    reason = "a terminal program: its table is its output"
)]

mod corpus;
mod faithful;
mod measure;
mod toon;

use std::path::Path;
use std::process::ExitCode;

use linkspan_shrink::{Context, Level};
use linkspan_tokens::Vocabulary;

use corpus::{Row, Sample};
use measure::{Measured, judge, measure, percent};

const USAGE: &str = "usage: cargo xtask tokens [--level safe|balanced|max] [--tokenizer o200k|cl100k|estimate] [FILE…]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            for line in wrong {
                println!("WRONG: {line}");
            }
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &[String]) -> Result<Vec<String>, String> {
    let mut context = Context::default();
    let mut files = Vec::new();
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(USAGE);
        match arg {
            "--level" => context.level = Level::parse(value()?).ok_or(USAGE)?,
            "--tokenizer" => context.vocabulary = Vocabulary::parse(value()?).ok_or(USAGE)?,
            _ if arg.starts_with("--") => return Err(USAGE.to_owned()),
            file => files.push(file),
        }
    }
    let rows = if files.is_empty() {
        corpus::read()?
    } else {
        own(&files)?
    };
    // The goals are for the default flags.
    let goals = context.level == Level::default() && context.vocabulary == Vocabulary::default();
    println!(
        "level {}, tokens of {}; percent saved",
        context.level.name(),
        context.vocabulary
    );
    let mut wrong = Vec::new();
    let mut medians = Vec::new();
    for row in &rows {
        println!(
            "\n{:<26} {:>7} {:>6} {:>6} {:>6}",
            row.name, "raw", "TOON", "min", "ours"
        );
        let measured: Vec<Measured> = row.samples.iter().map(|one| show(one, &context)).collect();
        let (median, more) = judge(row, &measured, goals);
        medians.push((row, median));
        wrong.extend(more);
    }
    if files.is_empty() {
        summary(&medians);
    }
    Ok(wrong)
}

/// The user's own files, as a row without a goal.
fn own(paths: &[&str]) -> Result<Vec<Row>, String> {
    let sample = |path: &&str| {
        Ok(Sample {
            name: (*path).to_owned(),
            text: corpus::text(Path::new(path))?,
        })
    };
    Ok(vec![Row {
        name: "files".to_owned(),
        goal: None,
        samples: paths.iter().map(sample).collect::<Result<_, String>>()?,
    }])
}

fn show(sample: &Sample, context: &Context) -> Measured {
    let measured = measure(sample, context);
    let Sample { name, text } = sample;
    let cell = |other: Option<String>| match other {
        Some(other) => format!("{:.1}", percent(measured.raw, context.tokens(&other))),
        None => "–".to_owned(),
    };
    let minified = faithful::minified(text);
    let toon = if minified.is_some() {
        toon::toon(text)
    } else {
        None
    };
    println!(
        "  {name:<24} {:>7} {:>6} {:>6} {:>6.1} {} {}",
        measured.raw,
        cell(toon),
        cell(minified),
        measured.saved(),
        if measured.lossless { "✓" } else { "LOST" },
        measured.how,
    );
    measured
}

fn summary(medians: &[(&Row, f64)]) {
    println!("\n{:<26} {:>7} {:>6}", "row", "median", "goal");
    for (row, median) in medians {
        let (goal, verdict) = match row.goal {
            Some(goal) if *median < goal => (format!("{goal}"), "MISSED"),
            Some(goal) => (format!("{goal}"), "✓"),
            None => ("–".to_owned(), ""),
        };
        println!("  {:<24} {median:>7.1} {goal:>6} {verdict}", row.name);
    }
}
