//! The line with the columns: what each is called, and what its cells have in common.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::cell::{End, is_bare, read_text};
use super::series::Series;
use super::template::{self, Piece};

/// A column, or a part of one: its cells were cut at a character that all of them have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// Which column it belongs to.
    pub(super) column: usize,
    /// What it was cut off with, unless it is the first.
    pub(super) joint: Option<char>,
    pub(super) model: Model<'a>,
    /// Whether its cells end with a comma and a space, because they have spaces.
    pub(super) comma: bool,
}

/// Where the cells of a part come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Model<'a> {
    /// They stand in the rows, without what all of them begin and end with.
    Cells(Affix<'a>),
    /// They stand in the rows, some of them as a letter.
    Coded(Vec<(char, Cow<'a, str>)>),
    /// They stand in a line above the rows that share them.
    Section(Affix<'a>),
    /// All are the same.
    Constant(Cow<'a, str>),
    /// All are the same, unless a row says something else.
    Usual(Cow<'a, str>),
    /// They count.
    Series(Affix<'a>, Series),
    /// They follow from other columns.
    Template(Vec<Piece<'a>>),
}

/// What cells begin and end with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Affix<'a> {
    pub(super) before: Cow<'a, str>,
    pub(super) after: Cow<'a, str>,
}

impl<'a> Affix<'a> {
    /// Whether cells have nothing in common.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// What is different in a cell.
    pub(super) fn strip<'c>(&self, cell: &'c str) -> Option<&'c str> {
        let cell = cell.strip_prefix(&*self.before)?;
        cell.strip_suffix(&*self.after)
            .filter(|hole| !hole.is_empty())
    }

    /// The way back.
    pub(super) fn apply<'c>(&self, hole: Cow<'c, str>) -> Cow<'c, str> {
        match self.is_empty() {
            true => hole,
            false => Cow::Owned([&*self.before, &*hole, &*self.after].concat()),
        }
    }

    fn spell(&self, out: &mut String, hole: impl FnOnce(&mut String)) {
        out.push_str(&self.before);
        hole(out);
        out.push_str(&self.after);
    }

    fn parse(text: &Cow<'a, str>, from: usize, to: usize) -> Option<Self> {
        Some(Self {
            before: slice(text, 0, from)?,
            after: slice(text, to, text.len())?,
        })
    }
}

impl Model<'_> {
    /// Whether its cells stand in the rows.
    pub(super) const fn is_in_rows(&self) -> bool {
        matches!(self, Self::Cells(_) | Self::Coded(_))
    }
}

/// What columns are called where others refer to them.
pub(super) struct Names<'n> {
    names: &'n [Cow<'n, str>],
    /// Those that only one column has and that can be told from anything else.
    unique: BTreeMap<&'n str, usize>,
}

impl<'n> Names<'n> {
    pub(super) fn new(names: &'n [Cow<'n, str>]) -> Self {
        let mut unique = BTreeMap::new();
        for (i, name) in names.iter().enumerate() {
            let is_plain =
                |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '%' | '.');
            let plain = !name.is_empty() && name.chars().all(is_plain) && !name.contains("..");
            if plain {
                // A second one of the same name takes it from both.
                let seen = unique.entry(&**name).or_insert(i);
                if *seen != i {
                    *seen = usize::MAX;
                }
            }
        }
        Self { names, unique }
    }

    /// Its name, or its number from 1.
    pub(super) fn of(&self, column: usize) -> Cow<'n, str> {
        let name = self.names.get(column).map(|name| &**name);
        match name.filter(|name| self.unique.get(name) == Some(&column)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("#{}", column + 1)),
        }
    }

    /// The way back.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        match name.strip_prefix('#') {
            Some(number) => number.parse::<usize>().ok()?.checked_sub(1),
            None => self.unique.get(name).copied(),
        }
        .filter(|column| *column < self.names.len())
    }
}

/// Writes the line.
pub(super) fn write(parts: &[Part<'_>], names: &[Cow<'_, str>], out: &mut String) {
    let known = Names::new(names);
    let mut spec = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        spec.clear();
        match part.joint {
            None => escape(names.get(part.column).map_or("", |name| name), &mut spec),
            Some(' ') => spec.push('+'),
            Some(joint) => spec.extend(['+', joint]),
        }
        spell(&part.model, &known, &mut spec);
        match is_bare(&spec, End::Space) && !spec.ends_with(',') {
            true => out.push_str(&spec),
            false => out.push_str(&linkspan_wire::quote(&spec)),
        }
        if part.comma {
            out.push(',');
        }
    }
}

fn spell(model: &Model<'_>, names: &Names<'_>, out: &mut String) {
    match model {
        Model::Cells(affix) if affix.is_empty() => {}
        Model::Cells(affix) => {
            out.push('=');
            affix.spell(out, |out| out.push('*'));
        }
        Model::Section(affix) => {
            out.push(':');
            if !affix.is_empty() {
                affix.spell(out, |out| out.push('*'));
            }
        }
        Model::Constant(value) => {
            out.push('=');
            out.push_str(value);
        }
        Model::Usual(value) => {
            out.push('~');
            out.push_str(value);
        }
        Model::Coded(codes) => {
            out.push_str("={");
            for (i, (code, value)) in codes.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                out.extend([*code, '=']);
                out.push_str(value);
            }
            out.push('}');
        }
        Model::Series(affix, series) => {
            out.push('=');
            affix.spell(out, |out| {
                out.push('{');
                series.spell(out);
                out.push('}');
            });
        }
        Model::Template(pieces) => {
            out.push('=');
            template::spell(pieces, out, |column| names.of(column));
        }
    }
}

/// Names and parts.
pub(super) type Read<'a> = (Vec<Cow<'a, str>>, Vec<Part<'a>>);

/// The way back.
pub(super) fn read(line: &str) -> Result<Read<'_>, &'static str> {
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
                return Err("not a part of a column");
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
            part.model = parse(kind, &pattern, &known).ok_or("a pattern that is not known")?;
        }
    }
    Ok((names, parts))
}

/// The spec that a line begins with, whether a comma comes after it, and the rest.
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

const SPECIAL: [char; 4] = ['=', '~', ':', '\\'];

fn escape(name: &str, out: &mut String) {
    if name.starts_with('+') {
        out.push('\\');
    }
    for c in name.chars() {
        if SPECIAL.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The name, and the kind and text of the pattern.
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
        _ => {}
    }
    let Some(open) = pattern.find('{') else {
        return Some(match hole {
            Some(at) => Model::Cells(affix(at)?),
            None => Model::Constant(pattern.clone()),
        });
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
    Some(Model::Coded(codes))
}

/// A part of a text, borrowed if the text is.
fn slice<'a>(text: &Cow<'a, str>, from: usize, to: usize) -> Option<Cow<'a, str>> {
    match text {
        Cow::Borrowed(text) => Some(Cow::Borrowed(text.get(from..to)?)),
        Cow::Owned(text) => Some(Cow::Owned(text.get(from..to)?.to_owned())),
    }
}
