//! Decodes the column line.

use std::borrow::Cow;

use super::{Affix, Model, Names, Part};
use crate::sheet::body::cell::{End, read_text};
use crate::sheet::body::series::Series;
use crate::sheet::body::template::{self, Piece};

/// The names of columns, and their parts.
pub(in crate::sheet::body) type Read<'a> = (Vec<Cow<'a, str>>, Vec<Part<'a>>);

/// Decodes the column line.
pub(in crate::sheet::body) fn read(line: &str) -> Result<Read<'_>, &'static str> {
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut patterns: Vec<Option<(char, Cow<'_, str>)>> = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (spec, comma, more) = one(text)?;
        rest = more;
        let (name, pattern) = unescape(&spec).ok_or("not a column")?;
        let mut joint = None;
        if let Some(cut) = spec.strip_prefix('+') {
            let end = cut.find(['=', '~', ':']).unwrap_or(cut.len());
            let mut chars = cut.get(..end).unwrap_or_default().chars();
            joint = Some(chars.next().unwrap_or(' '));
            if chars.next().is_some() || names.is_empty() {
                return Err("an invalid part of a column");
            }
        } else {
            names.push(name);
        }
        parts.push(Part {
            column: names.len() - 1,
            joint,
            model: Model::Cells(Affix::default()),
            comma,
        });
        patterns.push(pattern);
    }
    let known = Names::new(&names);
    for (part, pattern) in parts.iter_mut().zip(patterns) {
        if let Some((kind, pattern)) = pattern {
            part.model = parse(kind, &pattern, &known).ok_or("an unknown pattern")?;
        }
    }
    Ok((names, parts))
}

/// The spec that a line begins with, whether a comma follows it, and the rest.
fn one(line: &str) -> Result<(Cow<'_, str>, bool, Option<&str>), &'static str> {
    if !line.starts_with('"') {
        let (spec, rest) = match line.split_once(' ') {
            Some((spec, rest)) => (spec, Some(rest)),
            None => (line, None),
        };
        return Ok(match spec.strip_suffix(',') {
            Some(spec) => (Cow::Borrowed(spec), true, rest),
            None => (Cow::Borrowed(spec), false, rest),
        });
    }
    if let Ok((spec, _, rest)) = read_text(line, End::Space) {
        return Ok((spec, false, rest));
    }
    match read_text(line, End::Comma) {
        Ok((spec, _, rest)) => Ok((spec, true, rest)),
        // It is the last one.
        Err(_) => {
            let line = line.strip_suffix(',').ok_or("not a column")?;
            let (spec, _, rest) = read_text(line, End::Space)?;
            Ok((spec, true, rest))
        }
    }
}

/// The name, and the sigil and text of the pattern.
#[expect(clippy::type_complexity, reason = "it is read once")]
fn unescape<'a>(spec: &Cow<'a, str>) -> Option<(Cow<'a, str>, Option<(char, Cow<'a, str>)>)> {
    let mut name = String::new();
    let mut escaped = false;
    let mut end = spec.len();
    for (at, c) in spec.char_indices() {
        match c {
            _ if escaped => {
                escaped = false;
                name.push(c);
            }
            '\\' => escaped = true,
            '=' | '~' | ':' => {
                end = at;
                break;
            }
            _ => name.push(c),
        }
    }
    let kind = spec.get(end..)?.chars().next();
    let pattern = match kind {
        Some(kind) => Some((kind, slice(spec, end + 1, spec.len())?)),
        None => None,
    };
    let whole = name.len() == end;
    let name = if whole {
        slice(spec, 0, end)?
    } else {
        Cow::Owned(name)
    };
    Some((name, pattern))
}

fn parse<'a>(kind: char, pattern: &Cow<'a, str>, names: &Names<'_>) -> Option<Model<'a>> {
    let hole = pattern.find('*');
    let affix = |at: usize| Affix::parse(pattern, at, at + 1);
    match (kind, hole) {
        ('~', _) => return Some(Model::Usual(pattern.clone())),
        (':', Some(at)) => return Some(Model::Section(affix(at)?)),
        (':', None) => return pattern.is_empty().then(|| Model::Section(Affix::default())),
        // Prefix and suffix may contain braces; only affixes contain a star.
        (_, Some(at)) => return Some(Model::Cells(affix(at)?)),
        _ => {}
    }
    let Some(open) = pattern.find('{') else {
        return Some(Model::Constant(pattern.clone()));
    };
    let close = open + pattern.get(open..)?.find('}')?;
    let inner = pattern.get(open + 1..close)?;
    if inner.contains("..") {
        let series = Series::parse(inner)?;
        return Some(Model::Series(
            Affix::parse(pattern, open, close + 1)?,
            series,
        ));
    }
    if inner.contains('=') {
        return codes(pattern, open + 1, close);
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(open) = pattern.get(at..)?.find('{') {
        let open = at + open;
        let close = open + pattern.get(open..)?.find('}')?;
        if at < open {
            pieces.push(Piece::Text(slice(pattern, at, open)?));
        }
        let hole = pattern.get(open + 1..close)?;
        let (column, form) = template::parse_hole(hole, |name| names.find(name))?;
        pieces.push(Piece::Column(column, form));
        at = close + 1;
    }
    if at < pattern.len() {
        pieces.push(Piece::Text(slice(pattern, at, pattern.len())?));
    }
    Some(Model::Template(pieces))
}

/// The most codes, because each cell is compared with all of them.
const MOST_CODES: usize = 64;

fn codes<'a>(pattern: &Cow<'a, str>, from: usize, to: usize) -> Option<Model<'a>> {
    if from != 1 || to + 1 != pattern.len() {
        return None;
    }
    let mut codes = Vec::new();
    let mut at = from;
    for entry in pattern.get(from..to)?.split('|') {
        let code = entry.chars().next()?;
        let value = at + code.len_utf8() + 1;
        entry.get(code.len_utf8()..)?.strip_prefix('=')?;
        codes.push((code, slice(pattern, value, at + entry.len())?));
        at += entry.len() + 1;
    }
    (codes.len() <= MOST_CODES).then_some(Model::Coded(codes))
}

/// A slice of a text, borrowed if the text is.
fn slice<'a>(text: &Cow<'a, str>, from: usize, to: usize) -> Option<Cow<'a, str>> {
    match text {
        Cow::Borrowed(text) => Some(Cow::Borrowed(text.get(from..to)?)),
        Cow::Owned(text) => Some(Cow::Owned(text.get(from..to)?.to_owned())),
    }
}

impl<'a> Affix<'a> {
    fn parse(text: &Cow<'a, str>, from: usize, to: usize) -> Option<Self> {
        Some(Self {
            before: slice(text, 0, from)?,
            after: slice(text, to, text.len())?,
        })
    }
}
