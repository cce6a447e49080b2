//! The characters that a table is drawn with.

/// A line between rows: `+----+----+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) left: Option<char>,
    pub(super) fill: char,
    pub(super) cross: char,
    pub(super) right: Option<char>,
}

/// The characters between the cells of a row: `| a | b |`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bars {
    pub(super) left: Option<char>,
    pub(super) mid: char,
    pub(super) right: Option<char>,
}

/// Everything that is drawn around cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) top: Option<Rule>,
    pub(super) names: Bars,
    pub(super) under: Option<Rule>,
    pub(super) rows: Bars,
    pub(super) between: Option<Rule>,
    pub(super) bottom: Option<Rule>,
}

/// Named frames: top, bars of the names, rule below the names, bars of the rows, rule between rows, bottom. A rule has
/// left end, fill, cross and right end. A dot means none.
const KNOWN: [(&str, &str); 18] = [
    ("mysql", "+-++ ||| +-++ ||| . +-++"),
    ("psql", ". .|. .-+. .|. . ."),
    ("psql2", "+-++ ||| |-+| ||| . +-++"),
    ("grid", "+-++ ||| +=++ ||| +-++ +-++"),
    ("ruled", "+-++ ||| +-++ ||| +-++ +-++"),
    ("org", ". ||| |-+| ||| . ."),
    ("box", "┌─┬┐ │││ ├─┼┤ │││ . └─┴┘"),
    ("duckdb", "┌─┬┐ │││ ├─┼┤ │││ . └──┘"),
    ("unnamed", "+-++ ||| . ||| . +-++"),
    ("cells", "┌─┬┐ │││ ├─┼┤ │││ ├─┼┤ └─┴┘"),
    ("round", "╭─┬╮ │││ ├─┼┤ │││ . ╰─┴╯"),
    ("rich", "┏━┳┓ ┃┃┃ ┡━╇┩ │││ . └─┴┘"),
    ("heavy", "┏━┳┓ ┃┃┃ ┣━╋┫ ┃┃┃ . ┗━┻┛"),
    ("double", "╔═╦╗ ║║║ ╠═╬╣ ║║║ . ╚═╩╝"),
    ("fancy", "╒═╤╕ │││ ╞═╪╡ │││ ├─┼┤ ╘═╧╛"),
    ("outline", "╒═╤╕ │││ ╞═╪╡ │││ . ╘═╧╛"),
    ("polars", "┌─┬┐ │┆│ ╞═╪╡ │┆│ . └─┴┘"),
    ("utf8", "┌─┬┐ │┆│ ╞═╪╡ │┆│ ├╌┼┤ └─┴┘"),
];

impl Frame {
    /// Its name, or its definition.
    pub(super) fn name(&self) -> String {
        let spelled = self.spelled();
        match KNOWN.iter().find(|(_, known)| *known == spelled) {
            Some((name, _)) => (*name).to_owned(),
            None => format!("frame {spelled}"),
        }
    }

    /// Parses the words of a head, using as many as belong to the frame.
    pub(super) fn parse<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let name = words.next()?;
        if name == "frame" {
            return Self::read(words);
        }
        let (_, spelled) = KNOWN.iter().find(|(known, _)| *known == name)?;
        Self::read(&mut spelled.split(' '))
    }

    fn read<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(Self {
            top: Rule::read(words.next()?)?,
            names: Bars::read(words.next()?)?,
            under: Rule::read(words.next()?)?,
            rows: Bars::read(words.next()?)?,
            between: Rule::read(words.next()?)?,
            bottom: Rule::read(words.next()?)?,
        })
    }

    fn spelled(&self) -> String {
        let mut out = String::new();
        Rule::spell(self.top, &mut out);
        self.names.spell(&mut out);
        Rule::spell(self.under, &mut out);
        self.rows.spell(&mut out);
        Rule::spell(self.between, &mut out);
        Rule::spell(self.bottom, &mut out);
        out.pop();
        out
    }
}

const NONE: char = '.';

fn edge(c: char) -> Option<char> {
    (c != NONE).then_some(c)
}

impl Rule {
    fn read(word: &str) -> Option<Option<Self>> {
        let mut chars = word.chars();
        match [
            chars.next(),
            chars.next(),
            chars.next(),
            chars.next(),
            chars.next(),
        ] {
            [Some(NONE), None, ..] => Some(None),
            [Some(left), Some(fill), Some(cross), Some(right), None] => Some(Some(Self {
                left: edge(left),
                fill,
                cross,
                right: edge(right),
            })),
            _ => None,
        }
    }

    fn spell(rule: Option<Self>, out: &mut String) {
        match rule {
            Some(rule) => out.extend([
                rule.left.unwrap_or(NONE),
                rule.fill,
                rule.cross,
                rule.right.unwrap_or(NONE),
            ]),
            None => out.push(NONE),
        }
        out.push(' ');
    }
}

impl Bars {
    fn read(word: &str) -> Option<Self> {
        let mut chars = word.chars();
        match [chars.next(), chars.next(), chars.next(), chars.next()] {
            [Some(left), Some(mid), Some(right), None] => Some(Self {
                left: edge(left),
                mid,
                right: edge(right),
            }),
            _ => None,
        }
    }

    fn spell(&self, out: &mut String) {
        let (left, right) = (self.left.unwrap_or(NONE), self.right.unwrap_or(NONE));
        out.extend([left, self.mid, right, ' ']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_frame_is_parsed_from_its_name() {
        for (name, spelled) in KNOWN {
            let frame = Frame::parse(&mut [name].into_iter()).unwrap();
            assert_eq!(frame.spelled(), spelled);
            assert_eq!(frame.name(), name);
        }
    }

    #[test]
    fn an_unknown_frame_is_spelled_out() {
        let words = "frame *-** !!! *-** !!! . *-**";
        let frame = Frame::parse(&mut words.split(' ')).unwrap();
        assert_eq!(frame.name(), words);
    }
}
