//! JSON. serde_json validates the text and locates errors; then a walk over the valid text determines the
//! lines.

use serde_json::value::RawValue;

use super::{Census, Data, Lines, Member, Node, SyntaxError};

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        return Err(SyntaxError {
            line: error.line().max(1),
            text: without_place(&error.to_string()),
        });
    }
    let mut walk = Walk {
        text,
        at: 0,
        lines: Lines::of(text),
        census: Census::default(),
    };
    walk.node(0)
}

/// Removes the position, which is reported separately.
fn without_place(text: &str) -> String {
    match text.rsplit_once(" at line ") {
        Some((text, _)) => text.to_owned(),
        None => text.to_owned(),
    }
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    lines: Lines,
    census: Census,
}

impl Walk<'_> {
    fn line(&self) -> usize {
        self.lines.at(self.at)
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> u8 {
        let rest = &self.text.as_bytes()[self.at..];
        let space = |byte: &u8| byte.is_ascii_whitespace();
        self.at += rest.iter().take_while(|byte| space(byte)).count();
        self.text.as_bytes().get(self.at).copied().unwrap_or(b' ')
    }

    fn node(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        let first = self.peek();
        let line = self.line();
        self.census.node(line, depth)?;
        let data = match first {
            b'{' => self.map(depth)?,
            b'[' => self.list(depth)?,
            b'"' => Data::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node::new(line, data))
    }

    fn map(&mut self, depth: usize) -> Result<Data, SyntaxError> {
        let mut members: Vec<Member> = Vec::new();
        self.at += 1;
        while self.peek() == b'"' {
            let line = self.line();
            let name = self.string()?;
            Census::unique(&members, &name, line)?;
            self.peek();
            self.at += 1; // the colon
            let value = self.node(depth + 1)?;
            members.push(Member { name, line, value });
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Ok(Data::Map(members))
    }

    fn list(&mut self, depth: usize) -> Result<Data, SyntaxError> {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek() != b']' {
            items.push(self.node(depth + 1)?);
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Ok(Data::List(items))
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let line = self.line();
        let rest = &self.text.as_bytes()[self.at + 1..];
        let mut escaped = false;
        let end = rest.iter().position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let end = self.at + 2 + end.unwrap_or(rest.len().saturating_sub(1));
        let string = serde_json::from_str(&self.text[self.at..end]);
        self.at = end;
        // serde's raw text accepts a lone surrogate, which is no valid string.
        string.map_err(|error| SyntaxError {
            line,
            text: without_place(&error.to_string()),
        })
    }

    fn word(&mut self) -> Result<Data, SyntaxError> {
        let line = self.line();
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_ascii_whitespace() || ",]}".contains(c);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        match word {
            "null" => Ok(Data::Null),
            "true" => Ok(Data::Bool(true)),
            "false" => Ok(Data::Bool(false)),
            _ => match serde_json::from_str(word) {
                Ok(number) => Ok(Data::Number(number, word.to_owned())),
                Err(error) => Err(SyntaxError {
                    line,
                    text: without_place(&error.to_string()),
                }),
            },
        }
    }
}
