//! No cycles between the modules of `cli`, and no command that imports another.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::Source;

const SRC: &str = "crates/cli/src/";

type Graph = BTreeMap<String, BTreeSet<String>>;

pub fn check(sources: &[Source]) -> Vec<String> {
    let graph = graph(sources);
    let mut violations = Vec::new();
    for (from, imports) in &graph {
        for to in imports {
            if is_command(from) && is_command(to) {
                violations.push(format!("the command {from} imports the command {to}"));
            } else if reaches(&graph, to, from) {
                violations.push(format!("{from} imports {to}, which imports {from} again"));
            }
        }
    }
    violations
}

fn is_command(module: &str) -> bool {
    module.starts_with("commands::")
}

fn graph(sources: &[Source]) -> Graph {
    let files = sources.iter().filter_map(|source| {
        let path = source.path.strip_prefix(SRC)?;
        Some((module_of(path), from_the_root(path, &source.production)))
    });
    let files: Vec<_> = files.collect();
    let known: BTreeSet<&str> = files.iter().map(|(module, _)| module.as_str()).collect();
    let mut graph = Graph::new();
    for (module, text) in &files {
        let imports = graph.entry(module.clone()).or_default();
        for to in imports_of(text, &known) {
            if to != *module {
                imports.insert(to);
            }
        }
    }
    graph
}

/// `show/shell.rs` is a part of `show`, `commands/bcp/args.rs` of `commands::bcp`.
fn module_of(path: &str) -> String {
    let mut parts = path.trim_end_matches(".rs").split('/');
    let first = parts.next().unwrap_or_default();
    match (first, parts.next()) {
        ("commands", Some(verb)) => format!("commands::{verb}"),
        _ => first.to_owned(),
    }
}

/// The code of a file without its comments, with the paths that begin with `super` made absolute.
fn from_the_root(path: &str, text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut code = lines.collect::<Vec<_>>().join("\n");
    let module: Vec<&str> = match path.trim_end_matches(".rs") {
        "main" => Vec::new(),
        path => path.split('/').collect(),
    };
    // The longest chains first: `super::` is a part of `super::super::`.
    for (at, _) in module.iter().enumerate() {
        let chain = "super::".repeat(module.len() - at);
        let parent: String = module[..at]
            .iter()
            .map(|name| format!("{name}::"))
            .collect();
        code = code.replace(&chain, &format!("crate::{parent}"));
    }
    code
}

/// The modules that the paths of a text refer to.
fn imports_of(text: &str, known: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        for path in first_names(rest) {
            let verbs = match path.strip_prefix("commands::") {
                Some(verbs) => first_names(verbs),
                None => Vec::new(),
            };
            let verbs = verbs.into_iter().map(|verb| {
                let verb = verb.split("::").next().unwrap_or_default();
                format!("commands::{verb}")
            });
            found.extend(verbs.filter(|verb| known.contains(verb.as_str())));
            let name = path.split("::").next().unwrap_or_default();
            if name != "commands" {
                // A path that is not a module is an item of the crate's root.
                let name = if known.contains(name) { name } else { "main" };
                found.insert(name.to_owned());
            }
        }
    }
    found
}

/// The paths at the beginning of a text: one, or those in braces.
fn first_names(text: &str) -> Vec<String> {
    let Some(group) = text.strip_prefix('{') else {
        return vec![path_at(text)];
    };
    let mut depth = 0;
    let mut names = vec![String::new()];
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => names.push(String::new()),
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if !(c == ',' && depth == 0)
            && let Some(name) = names.last_mut()
        {
            name.push(c);
        }
    }
    let names = names.iter().map(|name| name.trim());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The path at the beginning of a text, with a group at its end.
fn path_at(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let group = if text[end..].starts_with('{') {
        text[end..].find('}').map_or(0, |at| at + 1)
    } else {
        0
    };
    text[..end + group].to_owned()
}

fn reaches(graph: &Graph, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            next.extend(graph.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: format!("{SRC}{path}"),
            text: text.to_owned(),
            production: text.to_owned(),
        }
    }

    #[test]
    fn a_cycle_over_three_modules_is_found() {
        let violations = check(&[
            source("a.rs", "use crate::b::X;"),
            source("b/deep.rs", "fn f() { crate::c::g() }"),
            source("c.rs", "use crate::{a, d};"),
            source("d.rs", "// use crate::a;"),
        ]);
        assert_eq!(violations.len(), 3, "{violations:?}");
        assert!(
            violations.iter().all(|one| !one.contains('d')),
            "{violations:?}"
        );
    }

    #[test]
    fn a_command_that_imports_another_is_found() {
        let violations = check(&[
            source("commands/a.rs", "use crate::commands::{b::args::B, c};"),
            source("commands/b/args.rs", "use super::x;"),
            source("commands/c.rs", "use crate::commands::c::own;"),
        ]);
        assert_eq!(
            violations,
            [
                "the command commands::a imports the command commands::b",
                "the command commands::a imports the command commands::c"
            ]
        );
    }

    #[test]
    fn relative_paths_count_as_well() {
        let violations = check(&[
            source("a.rs", "use super::b::X;"),
            source("b.rs", ""),
            source("b/deep.rs", "use super::own;\nuse super::super::a::Y;"),
            source("commands/c.rs", "use super::d;"),
            source("commands/d.rs", "mod e;"),
            source("commands/d/e.rs", "use super::super::c::Z;"),
        ]);
        assert_eq!(
            violations,
            [
                "a imports b, which imports a again",
                "b imports a, which imports b again",
                "the command commands::c imports the command commands::d",
                "the command commands::d imports the command commands::c"
            ]
        );
    }

    #[test]
    fn an_item_of_the_root_counts_as_main() {
        let violations = check(&[
            source("main.rs", "mod a;\nuse crate::a::run;"),
            source("a.rs", "fn run() { crate::block_on(x) }"),
        ]);
        assert_eq!(violations.len(), 2, "{violations:?}");
    }
}
