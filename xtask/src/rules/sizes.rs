//! Limits of the length of files and functions, and of the production code of `cli`.

use super::sources::Source;

/// Lines of a file.
const LONGEST_FILE: usize = 400;
/// Lines of a function.
const LONGEST_FUNCTION: usize = 80;
/// Lines of production code in `cli`. A new command may raise it, up to 8,000; a library takes its work.
const MOST_IN_CLI: usize = 8_000;

/// Functions that are tables, by the end of `path::function`, with the meaning of a row.
const TABLES: [(&str, &str); 10] = [
    ("bcp/src/block.rs::into_owned", "a field of a block"),
    ("bcp/src/body.rs::write", "a type of block"),
    ("bcp/src/manifest/write.rs::content", "a type of block"),
    ("bcp/src/render/compat.rs::render", "a type of block"),
    ("bcp/src/render/markdown.rs::render", "a type of block"),
    ("bcp/src/render/xml.rs::render", "a type of block"),
    ("agent/src/tools.rs::tool", "a tool"),
    ("bundle/manifest.rs::of", "a member of the manifest"),
    ("jq/src/natives/structure.rs::natives", "a function of jq"),
    ("jq/src/text.rs::natives", "a function of jq"),
];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut violations = Vec::new();
    let production = sources
        .iter()
        .filter(|source| !source.path.contains("/testkit/"));
    let mut in_cli = 0;
    for source in production {
        let lines = source.production.lines().count();
        if source.crate_name() == "cli" {
            in_cli += lines;
        }
        if lines > LONGEST_FILE {
            violations.push(format!(
                "{} has {lines} lines; {LONGEST_FILE} is the limit",
                source.path
            ));
        }
        for (name, lines) in functions(&source.production) {
            let name = format!("{}::{name}", source.path);
            let is_table = TABLES.iter().any(|(table, _)| name.ends_with(table));
            if lines > LONGEST_FUNCTION && !is_table {
                violations.push(format!(
                    "{name} has {lines} lines; {LONGEST_FUNCTION} is the limit"
                ));
            }
        }
    }
    if in_cli > MOST_IN_CLI {
        violations.push(format!(
            "cli has {in_cli} lines of production code; {MOST_IN_CLI} is the limit"
        ));
    }
    violations
}

/// The functions of a formatted text, with their lines.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &&&str| {
            let rest = line.strip_prefix(indent).unwrap_or_default();
            rest.starts_with('}') || (rest.starts_with(')') && rest.ends_with(';'))
        };
        // A declaration without a body, or a body on the same line.
        if line.ends_with(';') || line.ends_with('}') {
            continue;
        }
        let length = lines[start + 1..]
            .iter()
            .take_while(|line| !is_end(line))
            .count();
        found.push((name, length + 2));
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (before, after) = line.split_once("fn ")?;
    let is_prefix = |word: &str| {
        word.starts_with("pub")
            || word.ends_with(')')
            || matches!(
                word,
                "const" | "async" | "unsafe" | "extern" | "\"C\"" | "in"
            )
    };
    let is_function = before.split_whitespace().all(is_prefix);
    let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    (is_function && end > 0).then_some(&after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_from_the_signature_to_the_brace() {
        let text = "pub(crate) async fn a(\n    x: u8,\n) -> u8 {\n    x\n}\nimpl B {\n    fn b() {}\n    fn c(&self) {\n        let f = |x| {\n            x\n        };\n    }\n}\ntrait C {\n    fn d();\n}\n";
        assert_eq!(functions(text), [("a", 5), ("c", 5)]);
    }

    #[test]
    fn a_comment_or_a_type_is_not_a_function() {
        assert_eq!(function_name("// a fn of x"), None);
        assert_eq!(function_name("    f: fn (u8)"), None);
        assert_eq!(function_name("pub fn x<T>(t: T) {"), Some("x"));
    }
}
