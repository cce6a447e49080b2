//! Runs the finders, line by line.

use std::ops::Range;

use super::fence::Fences;
use super::found::{Detection, Found};
use super::line::Line;
use super::look::{
    BAR, BRACKET, COLON, COMMA, DASH, DIGIT, DOT, EQUALS, FOREIGN, GAP, Look, SEMICOLON, SLASH,
    SPACE, TAB,
};
use super::{
    Region, blob, code, config, csv, data, diff, grid, inside, log, numbered, paths, repeats,
    search, source, tree,
};

/// Finds one kind of text.
struct Finder {
    /// A cheap test that excludes most lines.
    may: fn(Look) -> bool,
    find: fn(&str, Line<'_>) -> Detection,
}

const fn finder(may: fn(Look) -> bool, find: fn(&str, Line<'_>) -> Detection) -> Finder {
    Finder { may, find }
}

/// Finders that are rarely wrong: the first match is taken.
static CERTAIN: [Finder; 6] = [
    finder(|look| matches!(look.first, b'{' | b'['), data::find),
    finder(
        |look| look.flush && matches!(look.first, b'd' | b'@' | b'-' | b'I' | b'c' | b'F'),
        diff::find,
    ),
    finder(|look| matches!(look.first, b'+' | 0xe2), grid::boxed),
    finder(|look| look.length < 4096, tree::drawn),
    finder(|look| look.has(BAR | FOREIGN), grid::ruled),
    finder(
        |look| look.length >= 60 && !look.has(SPACE | TAB | FOREIGN),
        blob::base64,
    ),
];

/// Finders that judge by looks: the match with the largest product of length and confidence is taken, the first of
/// equals.
static LIKELY: [Finder; 16] = [
    finder(|look| look.has(TAB), csv::find::<b'\t'>),
    finder(
        |look| matches!(look.first, b'0'..=b'9' | b'L'),
        numbered::find,
    ),
    finder(
        |look| look.has(DIGIT) && look.has(COLON | DASH | BRACKET),
        search::numbered,
    ),
    finder(
        |look| look.flush && look.has(COLON) && look.has(SLASH),
        search::bare,
    ),
    finder(|look| look.flush && look.length < 100, tree::indented),
    finder(
        |look| look.flush && (look.has(SLASH) || look.has(DOT) && !look.has(SPACE)),
        paths::plain,
    ),
    finder(
        |look| look.last == b':' || look.has(DASH | DIGIT),
        paths::listing,
    ),
    finder(|look| matches!(look.first, b'[' | 0xf0), paths::marked),
    finder(|look| look.has(COMMA), csv::find::<b','>),
    finder(|look| look.has(SEMICOLON), csv::find::<b';'>),
    finder(|look| look.has(BAR), csv::find::<b'|'>),
    finder(|look| look.has(GAP), grid::aligned),
    finder(|look| look.first != b'{', log::find),
    finder(|look| look.first == b'<', blob::html),
    finder(
        |look| look.flush && (look.first == b'[' || look.has(EQUALS)),
        config::toml,
    ),
    finder(
        |look| look.flush && (look.first == b'-' || look.has(COLON)),
        config::yaml,
    ),
];

/// Appends the regions of a part of a text that are not plain.
pub(super) fn scan(
    text: &str,
    range: Range<usize>,
    threshold: f32,
    fences: bool,
    regions: &mut Vec<Region>,
) {
    let part = &text[range.clone()];
    let mut scan = Scan::new(part, threshold);
    let mut search = fences.then(Fences::default);
    let mut path: Option<&str> = None;
    let mut at = 0;
    while let Some(line) = Line::at(part, at) {
        at = line.next;
        let look = Look::at(line);
        if look.is_blank() {
            continue;
        }
        if matches!(look.first, b'`' | b'~')
            && let Some(search) = &mut search
            && let Some((fence, closing)) = search.open(part, line)
        {
            let within = range.start + line.next..range.start + closing.start;
            inside::regions(text, within, fence.lang, path, threshold, regions);
            path = None;
            at = closing.next;
            continue;
        }
        let found = scan
            .find(line, look)
            .or_else(|| path.and_then(|_| scan.code(line)));
        if let Some(found) = found {
            regions.push(Region {
                range: range.start + line.start..range.start + found.end,
                kind: found.kind,
                confidence: found.confidence,
                lang: None,
                path: path.take().map(str::to_owned),
            });
            at = found.end;
            continue;
        }
        path = if look.has(DOT) && look.flush {
            code::header(line)
        } else {
            None
        };
    }
}

/// Appends the regions of a text that is source code: only files below their paths.
pub(super) fn source(text: &str, threshold: f32, regions: &mut Vec<Region>) {
    let mut scan = Scan::new(text, threshold);
    let mut path: Option<&str> = None;
    let mut at = 0;
    while let Some(line) = Line::at(text, at) {
        at = line.next;
        if line.is_blank() {
            continue;
        }
        let found = path.and_then(|_| scan.code(line));
        if let Some(found) = found {
            regions.push(Region {
                range: line.start..found.end,
                kind: found.kind,
                confidence: found.confidence,
                lang: None,
                path: path.take().map(str::to_owned),
            });
            at = found.end;
            continue;
        }
        path = code::header(line);
    }
}

struct Scan<'a> {
    text: &'a str,
    threshold: f32,
    /// For each finder, the offset before which it does not run again.
    certain: [usize; CERTAIN.len()],
    likely: [usize; LIKELY.len()],
    repeats: usize,
    code: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, threshold: f32) -> Self {
        Self {
            text,
            threshold,
            certain: [0; CERTAIN.len()],
            likely: [0; LIKELY.len()],
            repeats: 0,
            code: 0,
        }
    }

    fn find(&mut self, line: Line<'_>, look: Look) -> Option<Found> {
        for (finder, from) in CERTAIN.iter().zip(&mut self.certain) {
            if !(finder.may)(look) {
                continue;
            }
            let found = ask(finder.find, self.text, line, from, self.threshold);
            if found.is_some() {
                return found;
            }
        }
        let mut best: Option<Found> = None;
        for (finder, from) in LIKELY.iter().zip(&mut self.likely) {
            if !(finder.may)(look) {
                continue;
            }
            let Some(found) = ask(finder.find, self.text, line, from, self.threshold) else {
                continue;
            };
            let weight =
                |found: &Found| (found.end - line.start) as f64 * f64::from(found.confidence);
            if best
                .as_ref()
                .is_none_or(|best| weight(&found) > weight(best))
            {
                best = Some(found);
            }
        }
        if best.is_none() && look.length < 4096 {
            best = ask(
                repeats::find,
                self.text,
                line,
                &mut self.repeats,
                self.threshold,
            );
        }
        best
    }

    fn code(&mut self, line: Line<'_>) -> Option<Found> {
        ask(code::find, self.text, line, &mut self.code, self.threshold)
    }
}

fn ask(
    finder: fn(&str, Line<'_>) -> Detection,
    text: &str,
    line: Line<'_>,
    from: &mut usize,
    threshold: f32,
) -> Option<Found> {
    if line.start < *from {
        return None;
    }
    match finder(text, line) {
        Detection::No => None,
        Detection::NotBefore(next) => {
            *from = next;
            None
        }
        Detection::Yes(found) if found.confidence < threshold || found.end <= line.start => {
            *from = found.end;
            None
        }
        Detection::Yes(found) if source::is_code(&text[line.start..found.end], found.kind) => {
            *from = found.end;
            None
        }
        Detection::Yes(found) => Some(found),
    }
}
