//! Checks round trips with an implementation that is independent of the library.

/// Whether a text was restored: the same bytes; or, where the whole text is one JSON value, the same tokens in the same
/// order: punctuation, spellings of numbers and words, and the characters of strings.
pub fn same(text: &str, back: &str) -> bool {
    text == back || linkspan_wire::Json::parse(text).is_ok() && Tokens(text).eq(Tokens(back))
}

#[derive(PartialEq)]
enum Token<'a> {
    Sign(char),
    Word(&'a str),
    /// In UTF-16 units, as JSON escapes them.
    Text(Vec<u16>),
}

struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let text = self.0.trim_start();
        let first = text.chars().next()?;
        let (token, length) = match first {
            '{' | '}' | '[' | ']' | ',' | ':' => (Token::Sign(first), 1),
            '"' => {
                let length = string_length(text);
                (Token::Text(units(&text[1..length])), length)
            }
            _ => {
                let ends = |char: char| char.is_whitespace() || "{}[],:\"".contains(char);
                let length = text.find(ends).unwrap_or(text.len());
                (Token::Word(&text[..length]), length)
            }
        };
        self.0 = &text[length..];
        Some(token)
    }
}

/// The length of a string, with both quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn units(inner: &str) -> Vec<u16> {
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = Vec::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        let char = match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    out.push(u16::from_str_radix(&digits, 16).unwrap_or_default());
                    continue;
                }
                Some(other) => other,
                None => break,
            },
            char => char,
        };
        out.extend_from_slice(char.encode_utf16(&mut [0; 2]));
    }
    out
}

/// JSON without white space between its tokens; `None` if it is not valid JSON.
pub fn minified(text: &str) -> Option<String> {
    linkspan_wire::Json::parse(text).ok()?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let length = if rest.starts_with('"') {
            string_length(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        out.push_str(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Some(out)
}
