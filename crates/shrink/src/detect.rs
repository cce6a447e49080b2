//! Divides a text into regions and finds the kind of each.
//!
//! At each line, finders report whether their kind of text begins there; the finder with the longest and most confident
//! match gets the lines. A finder never sees lines that it has rejected again, so any text is read a bounded number of
//! times. A wrong guess is harmless: only text that decodes to the original is replaced.

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

/// A part of a text: whole lines with their line ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The kind of text.
    pub kind: Kind,
    /// The confidence in the kind, from 0 to 1.
    pub confidence: f32,
    /// The language of code, as its fence names it.
    pub lang: Option<String>,
    /// The path of the file that the code is from.
    pub path: Option<String>,
}

/// The regions of a text in order; together they cover it. A region with a confidence below `threshold` is
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

/// The first and last line of each region, counted from 1.
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

/// Adds the gaps between the regions as plain text.
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
