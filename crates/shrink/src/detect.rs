//! Which regions a text has, and what each of them is.
//!
//! Finders are asked line by line whether what they look for begins there; the one that has most to say
//! gets the lines. No finder is asked twice for lines that it has refused, so that any text is read a
//! fixed number of times. A wrong guess does no harm: nothing is replaced that does not come back.

mod blob;
mod code;
mod config;
mod csv;
mod data;
mod diff;
mod evidence;
mod fence;
mod found;
mod grid;
mod inside;
mod line;
mod log;
mod look;
mod numbered;
mod paths;
mod repeats;
mod scan;
mod search;
mod source;
#[cfg(test)]
mod tests;
mod time;
mod tree;

use std::ops::Range;

use crate::kind::Kind;

/// A part of a text: whole lines, with their line ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Where it is.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// The language of code, as its fence names it.
    pub lang: Option<String>,
    /// The file that it comes from.
    pub path: Option<String>,
}

/// The regions of a text in order; together they are the whole text. What is less sure than `threshold` is
/// [`Kind::Plain`].
pub fn detect(text: &str, threshold: f32) -> Vec<Region> {
    if data::is_json(text) && data::SURE >= threshold {
        return vec![Region {
            range: 0..text.len(),
            kind: Kind::Json,
            confidence: data::SURE,
            lang: None,
            path: None,
        }];
    }
    let mut regions = Vec::new();
    if source::is_source(text) {
        scan::source(text, threshold, &mut regions)
    } else {
        scan::scan(text, 0..text.len(), threshold, true, &mut regions)
    }
    complete(text, regions)
}

/// The first and the last line of each region, counted from 1.
pub fn line_numbers(text: &str, regions: &[Region]) -> Vec<(usize, usize)> {
    let mut line = 1;
    let numbers = regions.iter().map(|region| {
        let part = text.get(region.range.clone()).unwrap_or("");
        let ends = memchr::memchr_iter(b'\n', part.as_bytes()).count();
        let lines = ends + usize::from(!part.is_empty() && !part.ends_with('\n'));
        let first = line;
        line += lines;
        (first, (first + lines).saturating_sub(1).max(first))
    });
    numbers.collect()
}

/// With what lies between the regions as plain text.
fn complete(text: &str, regions: Vec<Region>) -> Vec<Region> {
    let plain = |range| Region {
        range,
        kind: Kind::Plain,
        confidence: 1.0,
        lang: None,
        path: None,
    };
    let mut all = Vec::with_capacity(regions.len() * 2 + 1);
    let mut at = 0;
    for region in regions {
        if at < region.range.start {
            all.push(plain(at..region.range.start));
        }
        at = region.range.end;
        all.push(region);
    }
    if at < text.len() || all.is_empty() {
        all.push(plain(at..text.len()));
    }
    all
}
