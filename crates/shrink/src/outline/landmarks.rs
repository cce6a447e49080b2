//! Landmarks: headings, signatures, and the files of a diff.

use super::pages::cut;
use crate::detect::{Region, line_numbers};
use crate::kind::Kind;

/// The most landmarks.
const MOST: usize = 400;

/// The landmarks with their line numbers.
pub(super) fn of(text: &str, regions: &[Region]) -> Vec<String> {
    let mut found = Vec::new();
    for (region, (first, _)) in regions.iter().zip(line_numbers(text, regions)) {
        let is_landmark: fn(&str) -> bool = match region.kind {
            Kind::Plain => |line| is_heading(line) || is_signature(line),
            Kind::Code => is_signature,
            Kind::Diff => |line| line.starts_with("+++ ") || line.starts_with("commit "),
            Kind::Toml => |line| line.starts_with('['),
            _ => continue,
        };
        let part = text.get(region.range.clone()).unwrap_or("");
        let lines = (first..)
            .zip(part.lines())
            .filter(|(_, line)| is_landmark(line));
        found.extend(
            lines
                .map(|(number, line)| format!("{number}: {}", cut(line, 120)))
                .take(MOST - found.len()),
        );
        if found.len() == MOST {
            break;
        }
    }
    found
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line.as_bytes().get(level) == Some(&b' ')
}

/// Whether a line begins the definition of a function, type or module.
fn is_signature(line: &str) -> bool {
    const BEGIN: [&str; 16] = [
        "fn ",
        "def ",
        "class ",
        "func ",
        "function ",
        "struct ",
        "enum ",
        "trait ",
        "impl ",
        "interface ",
        "type ",
        "mod ",
        "module ",
        "namespace ",
        "async def ",
        "macro_rules! ",
    ];
    const BEFORE: [&str; 9] = [
        "pub(crate) ",
        "pub(super) ",
        "pub ",
        "export default ",
        "export ",
        "async ",
        "public ",
        "static ",
        "unsafe ",
    ];
    let mut rest = line.trim_start();
    if line.len() - rest.len() > 4 || !rest.ends_with(['{', ':', '(', ')', ';', ',', '>']) {
        return false;
    }
    while let Some(after) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    BEGIN.iter().any(|word| rest.starts_with(word))
}
