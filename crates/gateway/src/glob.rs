//! Patterns for advertised names, and URI templates as patterns.

/// A pattern for whole texts. Case counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Glob {
    written: Box<str>,
    pieces: Box<[Piece]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    Char(char),
    One,
    Any,
}

impl Glob {
    /// A pattern in which `*` stands for any text and `?` for one character. Every text is a pattern.
    pub fn new(pattern: &str) -> Self {
        let piece = |c| match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            c => Piece::Char(c),
        };
        Self {
            written: pattern.into(),
            pieces: pattern.chars().map(piece).collect(),
        }
    }

    /// The URIs that a template stands for (RFC 6570): every expression is any text.
    pub fn of_template(template: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((_, after)) = after.split_once('}') else {
                break;
            };
            pieces.extend(before.chars().map(Piece::Char));
            pieces.push(Piece::Any);
            rest = after;
        }
        pieces.extend(rest.chars().map(Piece::Char));
        Self {
            written: template.into(),
            pieces: pieces.into(),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The characters that a text has to have literally: more of them make a pattern more specific.
    pub fn literal(&self) -> usize {
        let literal = |piece: &&Piece| matches!(piece, Piece::Char(_));
        self.pieces.iter().filter(literal).count()
    }

    /// Whether the whole text matches, in time proportional to the product of the lengths at most.
    pub fn matches(&self, text: &str) -> bool {
        let (mut at, mut rest) = (0, text.chars());
        // Where to go on if what follows the last star does not match here.
        let mut retry = None;
        loop {
            let before = rest.clone();
            match (self.pieces.get(at), rest.next()) {
                (Some(Piece::Any), _) => {
                    at += 1;
                    retry = Some((at, before.clone()));
                    rest = before;
                }
                (Some(Piece::One), Some(_)) => at += 1,
                (Some(Piece::Char(expected)), Some(found)) if *expected == found => at += 1,
                (None, None) => return true,
                _ => {
                    let Some((again, from)) = &mut retry else {
                        return false;
                    };
                    if from.next().is_none() {
                        return false;
                    }
                    at = *again;
                    rest = from.clone();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stars_and_question_marks_match() {
        let matches = |pattern: &str, text: &str| Glob::new(pattern).matches(text);
        assert!(matches("*", ""));
        assert!(matches("github__*", "github__list_issues"));
        assert!(matches("*__list_*", "github__list_issues"));
        assert!(matches("a?c", "abc"));
        assert!(matches("*a*b", "xaxbxb"));
        assert!(!matches("a?c", "ac"));
        assert!(!matches("github__*", "git__x"));
        assert!(!matches("*a*b", "xbxa"));
        assert!(!matches("", "a"));
    }

    #[test]
    fn expressions_of_a_template_match_any_text() {
        let matches = |template: &str, uri: &str| Glob::of_template(template).matches(uri);
        assert!(matches("file:///{+path}", "file:///a/b"));
        assert!(matches("demo://{kind}/{id}?v=1", "demo://a/7?v=1"));
        assert!(!matches("demo://{kind}/{id}?v=1", "demo://a/7xv=1"));
        assert!(matches("plain://*", "plain://*"));
        assert!(!matches("plain://*", "plain://x"));
        assert!(matches("open://{x", "open://{x"));
    }

    #[test]
    fn many_stars_end_soon() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!Glob::new(&pattern).matches(&"a".repeat(5000)));
    }

    proptest! {
        #[test]
        fn a_text_with_a_gap_matches_its_star(head in "[a-z_]{0,5}", gap in ".{0,5}", tail in "[a-z_]{0,5}") {
            let text = format!("{head}{gap}{tail}");
            let glob = Glob::new(&format!("{head}*{tail}"));
            prop_assert!(glob.matches(&text));
            let template = Glob::of_template(&format!("{head}{{x}}{tail}"));
            prop_assert!(template.matches(&text));
        }
    }
}
