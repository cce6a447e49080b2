//! The kind of text in a fence: by its language, else by its looks, else code.

use std::ops::Range;

use linkspan_wire::Json;

use super::scan::scan;
use super::{Region, data};
use crate::kind::Kind;

/// The confidence in code in a fence that names a language.
const NAMED: f32 = 0.95;
const BARE: f32 = 0.7;

/// Appends the regions of the content of a fence.
pub(super) fn regions(
    text: &str,
    range: Range<usize>,
    lang: Option<&str>,
    path: Option<&str>,
    threshold: f32,
    regions: &mut Vec<Region>,
) {
    if range.is_empty() {
        return;
    }
    let content = &text[range.clone()];
    let says = lang.map(str::to_ascii_lowercase);
    let region = |kind, confidence| Region {
        range: range.clone(),
        kind,
        confidence,
        lang: lang.map(str::to_owned),
        path: path.map(str::to_owned),
    };
    let looks = match says.as_deref() {
        Some("json" | "json5" | "jsonc" | "geojson") if Json::parse(content).is_ok() => {
            Looks::Is(Kind::Json)
        }
        Some("yaml" | "yml") => Looks::Is(Kind::Yaml),
        Some("toml") => Looks::Is(Kind::Toml),
        Some("html" | "xml" | "svg" | "xhtml") => Looks::Is(Kind::Html),
        Some("csv" | "tsv") => Looks::Is(Kind::Csv),
        Some("diff" | "patch" | "udiff") => Looks::Is(Kind::Diff),
        Some(lang) if !NOT_CODE.contains(&lang) => Looks::Program,
        Some(_) | None if data::is_json(content) => Looks::Is(Kind::Json),
        Some(_) | None => Looks::Like,
    };
    if let Looks::Is(kind) = looks {
        regions.push(match kind {
            // The region excludes blank lines around the value.
            Kind::Json => Region {
                range: within(content, range.start),
                ..region(kind, data::SURE)
            },
            kind => region(kind, NAMED),
        });
        return;
    }
    let before = regions.len();
    scan(text, range.clone(), threshold, false, regions);
    let found: usize = regions[before..]
        .iter()
        .map(|region| region.range.len())
        .sum();
    let is_numbered = |region: &Region| region.kind == Kind::Numbered;
    if matches!(looks, Looks::Program) && !regions[before..].iter().all(is_numbered) {
        regions.truncate(before);
        regions.push(region(Kind::Code, NAMED));
        return;
    }
    // Half is enough: the rest may be a command or a sentence.
    if found * 2 > content.len() * 9 / 10 {
        return;
    }
    regions.truncate(before);
    let confidence = if lang.is_some() { NAMED } else { BARE };
    if confidence >= threshold {
        regions.push(region(Kind::Code, confidence));
    }
}

/// The range of lines from the first non-blank line of `content` to the last; `content` begins at `start`.
fn within(content: &str, start: usize) -> Range<usize> {
    let text = content.trim_start();
    let first = content[..content.len() - text.len()]
        .rfind('\n')
        .map_or(0, |end| end + 1);
    let end = content.trim_end().len();
    let last = content[end..]
        .find('\n')
        .map_or(content.len(), |more| end + more + 1);
    start + first..start + last
}

enum Looks {
    Is(Kind),
    Like,
    /// Code, regardless of its looks; lines may have numbers.
    Program,
}

/// Languages of fences that are not programs, besides formats with a kind of their own.
const NOT_CODE: [&str; 25] = [
    "ansi",
    "console",
    "geojson",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsonlines",
    "log",
    "logs",
    "markdown",
    "md",
    "ndjson",
    "none",
    "output",
    "plain",
    "plaintext",
    "raw",
    "stderr",
    "stdout",
    "terminal",
    "text",
    "trace",
    "tree",
    "txt",
];
