//! Columns that follow from others: `{first}.{last}@example.com`.

use std::borrow::Cow;

/// How a cell of another column is spelled here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    case: Case,
    /// What stands for its spaces; nothing if they stay.
    joint: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Lower,
    Upper,
}

const JOINTS: [&str; 4] = [".", "-", "_", ""];

impl Form {
    /// As it is.
    pub(super) const SAME: Self = Self {
        case: Case::Kept,
        joint: None,
    };

    /// All of them, the plainest first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let joints = [None].into_iter().chain(JOINTS.map(Some));
        joints.flat_map(|joint| {
            [Case::Kept, Case::Lower, Case::Upper].map(|case| Self { case, joint })
        })
    }

    /// A cell in this form.
    pub(super) fn apply<'t>(self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if let Some(joint) = self.joint
            && text.contains(' ')
        {
            text = Cow::Owned(text.replace(' ', joint));
        }
        match self.case {
            Case::Kept => text,
            Case::Lower => Cow::Owned(text.to_lowercase()),
            Case::Upper => Cow::Owned(text.to_uppercase()),
        }
    }

    /// Whether a value can have a cell in this form in it, by its first byte: most have not, and need not be
    /// made.
    fn may_be_in(self, value: &str, text: &str) -> bool {
        match text.bytes().next() {
            // What stands for a space, or nothing at all, comes first then.
            Some(b' ') | Some(0x80..) | None => true,
            Some(first) => {
                let first = match self.case {
                    Case::Kept => first,
                    Case::Lower => first.to_ascii_lowercase(),
                    Case::Upper => first.to_ascii_uppercase(),
                };
                memchr::memchr(first, value.as_bytes()).is_some()
            }
        }
    }

    /// What becomes of `A b`, roughly: `a.b`, `A_B`, `xy`.
    fn word(self) -> String {
        let (one, two) = match self.case {
            Case::Kept => ('x', 'y'),
            Case::Lower => ('a', 'b'),
            Case::Upper => ('A', 'B'),
        };
        format!("{one}{}{two}", self.joint.unwrap_or(" "))
    }

    fn parse(word: &str) -> Option<Self> {
        Self::all().find(|form| form.word() == word)
    }
}

/// Pieces that make a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    /// What stands in a column, from 0.
    Column(usize, Form),
}

/// Adds a cell that is made of others of its row.
pub(super) fn apply<'c>(pieces: &[Piece<'_>], out: &mut String, cell: impl Fn(usize) -> &'c str) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Column(column, form) => out.push_str(&form.apply(cell(*column))),
        }
    }
}

/// Writes a template. `name` is what a column is called.
pub(super) fn spell<'n>(
    pieces: &[Piece<'_>],
    out: &mut String,
    name: impl Fn(usize) -> Cow<'n, str>,
) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Column(column, form) => {
                out.push('{');
                out.push_str(&name(*column));
                if *form != Form::SAME {
                    out.push('|');
                    out.push_str(&form.word());
                }
                out.push('}');
            }
        }
    }
}

/// What stands between braces: a column and its form.
pub(super) fn parse_hole(
    hole: &str,
    column: impl Fn(&str) -> Option<usize>,
) -> Option<(usize, Form)> {
    match hole.rsplit_once('|') {
        Some((name, form)) => Some((column(name)?, Form::parse(form)?)),
        None => Some((column(hole)?, Form::SAME)),
    }
}

/// A template for a column, if there is one: found in one row, held against all. `column(i, row)` is a cell;
/// `sources` are those that may be used.
pub(super) fn find<'a>(
    cells: &[&'a str],
    sources: &[usize],
    cell: impl Fn(usize, usize) -> &'a str,
) -> Option<Vec<Piece<'a>>> {
    let rows = cells.len();
    // A row in the middle: the first ones are often special.
    for row in [rows / 2, rows / 3] {
        let value = *cells.get(row)?;
        let options = options(value, sources, |column| cell(column, row));
        if options.is_empty() {
            // Nothing of the others is in this one: then it follows from none of them.
            return None;
        }
        for least in [3, 1] {
            let found = in_row(value, &options, least);
            let Some(pieces) = found else { continue };
            let mut made = String::new();
            let follows = |(row, value): (usize, &&str)| {
                made.clear();
                apply(&pieces, &mut made, |column| cell(column, row));
                made == *value
            };
            if cells.iter().enumerate().all(follows) {
                return Some(pieces);
            }
        }
    }
    None
}

/// A column and how its cell is spelled, what that makes, and how long the cell itself is.
type Made<'a> = (usize, Form, Cow<'a, str>, usize);

/// What of others is in a value, the longest first.
fn options<'a>(value: &str, sources: &[usize], cell: impl Fn(usize) -> &'a str) -> Vec<Made<'a>> {
    let mut options: Vec<Made<'a>> = Vec::new();
    if value.len() > 300 {
        return options;
    }
    for column in sources {
        let text = cell(*column);
        if text.is_empty() || text.len() > value.len() {
            continue;
        }
        let has_space = text.contains(' ');
        for form in Form::all() {
            // Without a space the others are the same again.
            if form.joint.is_some() && !has_space || !form.may_be_in(value, text) {
                continue;
            }
            let made = form.apply(text);
            let is_new = form == Form::SAME || made != text;
            if is_new && !made.is_empty() && value.contains(&*made) {
                options.push((*column, form, made, text.len()));
            }
        }
    }
    options.sort_by_key(|(column, _, made, _)| (std::cmp::Reverse(made.len()), *column));
    options
}

/// A value in terms of others; those shorter than `least` do not count.
fn in_row<'a>(value: &'a str, options: &[Made<'a>], least: usize) -> Option<Vec<Piece<'a>>> {
    let options: Vec<&Made<'a>> = options.iter().filter(|made| made.3 >= least).collect();
    if options.is_empty() {
        return None;
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < value.len() {
        let rest = value.get(at..)?;
        match options
            .iter()
            .find(|(_, _, made, _)| rest.starts_with(&**made))
        {
            Some((column, form, made, _)) => {
                if from < at {
                    pieces.push(Piece::Text(Cow::Borrowed(value.get(from..at)?)));
                }
                pieces.push(Piece::Column(*column, *form));
                at += made.len();
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    if from < at {
        pieces.push(Piece::Text(Cow::Borrowed(value.get(from..at)?)));
    }
    let fits = pieces.iter().all(|piece| match piece {
        Piece::Text(text) => !text.contains(['{', '*', '}']),
        Piece::Column(..) => true,
    });
    let derived = pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Column(..)));
    (fits && derived).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(target: &[&'static str], other: &[&'static str]) -> Option<String> {
        let pieces = find(target, &[0], |_, row| other[row])?;
        let mut out = String::new();
        spell(&pieces, &mut out, |_| Cow::Borrowed("name"));
        Some(out)
    }

    #[test]
    fn an_address_follows_from_a_name() {
        let names = ["Ada Byron", "Alan Turing", "Grace Hopper"];
        let mails = ["ada.byron@x.org", "alan.turing@x.org", "grace.hopper@x.org"];
        assert_eq!(
            template(&mails, &names).as_deref(),
            Some("{name|a.b}@x.org")
        );
        assert_eq!(template(&names, &mails), None);
    }

    #[test]
    fn nothing_follows_from_a_cell_of_spaces() {
        assert_eq!(template(&["a", "b", "c"], &[" ", " ", " "]), None);
    }
}
