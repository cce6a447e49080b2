//! Columns derived from others: `{first}.{last}@example.com`.

use std::borrow::Cow;

/// How the cell of another column is transformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    case: Case,
    /// The replacement of its spaces; `None` keeps them.
    joint: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Lower,
    Upper,
}

const CASES: [Case; 3] = [Case::Kept, Case::Lower, Case::Upper];
const JOINTS: [Option<&str>; 5] = [None, Some("."), Some("-"), Some("_"), Some("")];

impl Form {
    /// Unchanged.
    pub(super) const SAME: Self = Self {
        case: Case::Kept,
        joint: None,
    };

    /// All forms, the plainest first.
    const ALL: [Self; CASES.len() * JOINTS.len()] = {
        let mut all = [Self::SAME; CASES.len() * JOINTS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = Self {
                case: CASES[at % CASES.len()],
                joint: JOINTS[at / CASES.len()],
            };
            at += 1;
        }
        all
    };

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

    /// Whether a value may contain a cell in this form, judged by the cell's first word. Excludes most forms cheaply.
    fn may_be_in(self, value: &str, text: &str) -> bool {
        let in_case = |byte: &u8| match self.case {
            Case::Kept => *byte,
            Case::Lower => byte.to_ascii_lowercase(),
            Case::Upper => byte.to_ascii_uppercase(),
        };
        // The word ends at a space or a letter outside of ASCII, whose transformed bytes are not known.
        let word = text
            .bytes()
            .take_while(|byte| byte.is_ascii() && *byte != b' ');
        let word = &text.as_bytes()[..word.count()];
        let Some((first, more)) = word.split_first() else {
            return true;
        };
        let value = value.as_bytes();
        memchr::memchr_iter(in_case(first), value).any(|at| {
            let behind = value.get(at + 1..at + 1 + more.len());
            behind.is_some_and(|behind| more.iter().map(in_case).eq(behind.iter().copied()))
        })
    }

    /// Whether this form may change a cell; the plainest form is always tried. Without a space, all joints give the
    /// same cell.
    const fn may_change(self, has: Has) -> bool {
        match (self.joint, self.case) {
            (Some(_), _) => has.space,
            (None, Case::Kept) => true,
            (None, Case::Lower) => has.upper,
            (None, Case::Upper) => has.lower,
        }
    }

    /// The notation of the form, an example of its effect on `A b`: `a.b`, `A_B`, `xy`.
    fn word(self) -> String {
        let (one, two) = match self.case {
            Case::Kept => ('x', 'y'),
            Case::Lower => ('a', 'b'),
            Case::Upper => ('A', 'B'),
        };
        format!("{one}{}{two}", self.joint.unwrap_or(" "))
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
}

/// The properties of a cell that forms change.
#[derive(Clone, Copy)]
struct Has {
    space: bool,
    lower: bool,
    upper: bool,
}

impl Has {
    fn of(text: &str) -> Self {
        let has = |is: fn(char) -> bool| {
            if text.is_ascii() {
                text.bytes().any(|byte| is(char::from(byte)))
            } else {
                text.chars().any(is)
            }
        };
        Self {
            space: text.as_bytes().contains(&b' '),
            lower: has(|c| {
                if c.is_ascii() {
                    c.is_ascii_lowercase()
                } else {
                    !c.to_uppercase().eq([c])
                }
            }),
            upper: has(|c| {
                if c.is_ascii() {
                    c.is_ascii_uppercase()
                } else {
                    !c.to_lowercase().eq([c])
                }
            }),
        }
    }
}

/// A piece of a derived cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    /// The cell of a column (counted from 0), transformed.
    Column(usize, Form),
}

/// Appends a cell that is derived from others of its row.
pub(super) fn apply<'c>(pieces: &[Piece<'_>], out: &mut String, cell: impl Fn(usize) -> &'c str) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Column(column, form) => out.push_str(&form.apply(cell(*column))),
        }
    }
}

/// Writes a template. `name` returns the name of a column.
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

/// Parses the text between braces: a column and its form.
pub(super) fn parse_hole(
    hole: &str,
    column: impl Fn(&str) -> Option<usize>,
) -> Option<(usize, Form)> {
    match hole.rsplit_once('|') {
        Some((name, form)) => Some((column(name)?, Form::parse(form)?)),
        None => Some((column(hole)?, Form::SAME)),
    }
}

/// The template of a column, if there is one: inferred from one row, checked against all. `cell(i, row)` returns a
/// cell; `sources` are the columns that may be used.
pub(super) fn find<'a>(
    cells: &[&'a str],
    sources: &[usize],
    cell: impl Fn(usize, usize) -> &'a str,
) -> Option<Vec<Piece<'a>>> {
    let rows = cells.len();
    // A row in the middle, because the first rows are often special.
    for row in [rows / 2, rows / 3] {
        let value = *cells.get(row)?;
        let options = options(value, sources, |column| cell(column, row));
        if options.is_empty() {
            // The row contains no other cell, so the column cannot be derived.
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

/// A column, a form, the transformed cell, and the length of the original cell.
type Made<'a> = (usize, Form, Cow<'a, str>, usize);

/// The transformed cells that a value contains, the longest first.
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
        let has = Has::of(text);
        for form in Form::ALL {
            if !form.may_change(has) || !form.may_be_in(value, text) {
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

/// A value composed of other cells of its row, ignoring those shorter than `least`.
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
    fn letters_of_all_languages_have_a_case() {
        let names = ["\u{c9}va \u{d6}r", "\u{c0}da Byron", "Zo\u{eb} \u{c7}elik"];
        let mails = ["\u{e9}va_\u{f6}r", "\u{e0}da_byron", "zo\u{eb}_\u{e7}elik"];
        assert_eq!(template(&mails, &names).as_deref(), Some("{name|a_b}"));
        let shouted = names.map(|name| &*name.to_uppercase().leak());
        assert_eq!(template(&shouted, &names).as_deref(), Some("{name|A B}"));
    }

    #[test]
    fn nothing_follows_from_a_cell_of_spaces() {
        assert_eq!(template(&["a", "b", "c"], &[" ", " ", " "]), None);
    }
}
