//! How long files and functions may be, and how much production code `cli` may have.

use super::sources::Source;

/// Lines of a file.
const LONGEST_FILE: usize = 400;
/// Lines of a function.
const LONGEST_FUNCTION: usize = 80;
/// Lines of production code in `cli`. The goal is 8,000.
const MOST_IN_CLI: usize = 8_330;

/// Files that are still longer, by the end of their path, with their lines. They are to be split.
const LONG_FILES: [(&str, usize); 3] = [
    ("jq/src/natives.rs", 402),
    ("folder/tools.rs", 449),
    ("shrink/src/json/decode.rs", 455),
];

/// Functions that are tables, by the end of `path::function`, with what has a row.
const TABLES: [(&str, &str); 10] = [
    ("bcp/src/block.rs::into_owned", "a field of a block"),
    ("bcp/src/body.rs::write", "a type of block"),
    ("bcp/src/manifest/write.rs::content", "a type of block"),
    ("bcp/src/render/compat.rs::render", "a type of block"),
    ("bcp/src/render/markdown.rs::render", "a type of block"),
    ("bcp/src/render/xml.rs::render", "a type of block"),
    ("agent/src/tools.rs::tool", "a tool"),
    ("bundle/manifest.rs::of", "a member of the manifest"),
    ("jq/src/natives.rs::structure", "a function of jq"),
    ("jq/src/text.rs::natives", "a function of jq"),
];

/// Functions that are still longer, with their lines. They are to be split.
const LONG_FUNCTIONS: [(&str, usize); 9] = [
    ("desk/tools.rs::go", 82),
    ("door/porter.rs::stand", 87),
    ("folder/fields.rs::check_value", 124),
    ("folder/resources.rs::readable", 101),
    ("shrink/src/json/parse.rs::read", 85),
    ("sheet/csv/read.rs::fit", 93),
    ("sheet/listing/read.rs::fit", 121),
    ("sheet/markdown/read.rs::fit", 130),
    ("shrink/src/table/render.rs::render", 90),
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
        let most = limit(&LONG_FILES, &source.path).unwrap_or(LONGEST_FILE);
        if lines > most {
            violations.push(format!(
                "{} has {lines} lines; {most} is the limit",
                source.path
            ));
        }
        for (name, lines) in functions(&source.production) {
            let name = format!("{}::{name}", source.path);
            let most = limit(&LONG_FUNCTIONS, &name).unwrap_or(LONGEST_FUNCTION);
            let is_table = TABLES.iter().any(|(table, _)| name.ends_with(table));
            if lines > most && !is_table {
                violations.push(format!("{name} has {lines} lines; {most} is the limit"));
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

/// The limit of an exception.
fn limit(exceptions: &[(&str, usize)], name: &str) -> Option<usize> {
    let exception = exceptions.iter().find(|(end, _)| name.ends_with(end));
    exception.map(|(_, most)| *most)
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
