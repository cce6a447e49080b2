//! The inputs of a program: files in sequence, or stdin, read as far as needed.

use super::read::{Before, ParseError, Reader, Trouble};
use super::value::V;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// How bytes become values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Lines (or, slurped, the whole text) instead of JSON.
    pub raw: bool,
    /// Collects all values into one array.
    pub slurp: bool,
}

/// The inputs.
pub struct Inputs<'a> {
    stdin: &'a mut dyn Read,
    files: Option<VecDeque<PathBuf>>,
    open: Option<File>,
    mode: Mode,
    text: Vec<u8>,
    at: usize,
    lines: usize,
    /// The offset up to which lines are counted.
    counted: usize,
    /// The position of `text` in the input; earlier text is dropped.
    before: Before,
    ended: bool,
    file: Option<String>,
    begun: bool,
    slurped: bool,
    /// Unreadable files; they make the exit code 2.
    pub troubles: Vec<String>,
}

impl<'a> Inputs<'a> {
    /// Reads stdin if there are no files.
    pub fn new(stdin: &'a mut dyn Read, files: Vec<PathBuf>, mode: Mode) -> Self {
        Self {
            stdin,
            files: (!files.is_empty()).then(|| files.into()),
            open: None,
            mode,
            text: Vec::new(),
            at: 0,
            lines: 0,
            counted: 0,
            before: Before::default(),
            ended: false,
            file: None,
            begun: false,
            slurped: false,
            troubles: Vec::new(),
        }
    }

    /// The number of lines read, up to the line on which the last value ended.
    pub fn line(&self) -> usize {
        self.lines
    }

    /// The file that is being read.
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// `<stdin>:1`, as error messages have it.
    pub fn place(&self) -> String {
        match &self.file {
            _ if !self.begun => "<unknown>".to_owned(),
            Some(file) => format!("{file}:{}", self.lines),
            None => format!("<stdin>:{}", self.lines),
        }
    }

    /// The next value. After an error there are no more.
    pub fn next(&mut self) -> Option<Result<V, ParseError>> {
        if !self.mode.slurp {
            return self.one();
        }
        if std::mem::replace(&mut self.slurped, true) {
            return None;
        }
        let mut values = Vec::new();
        let mut text = String::new();
        while let Some(next) = self.one() {
            match next {
                Ok(V::Str(part)) if self.mode.raw => text.push_str(&part),
                Ok(value) => values.push(value),
                Err(why) => return Some(Err(why)),
            }
        }
        Some(Ok(if self.mode.raw {
            V::text(text)
        } else {
            V::array(values)
        }))
    }

    fn one(&mut self) -> Option<Result<V, ParseError>> {
        self.begun = true;
        loop {
            let found = if self.mode.raw {
                self.raw()
            } else {
                self.json()
            };
            match found {
                Some(Err(_)) => {
                    self.files = Some(VecDeque::new());
                    self.ended = true;
                    self.text.clear();
                    self.at = 0;
                    return found;
                }
                Some(_) => return found,
                // A value does not span files, so each file is read to its end.
                None if self.ended && !self.next_file() => return None,
                None if self.ended => self.ended = false,
                None => self.more(),
            }
        }
    }

    fn json(&mut self) -> Option<Result<V, ParseError>> {
        let mut reader = Reader::new(&self.text, self.at, self.ended);
        match reader.next() {
            Ok(Some(value)) => {
                let end = reader.at();
                self.pass(end);
                Some(Ok(value))
            }
            Ok(None) => {
                let end = self.text.len();
                self.pass(end);
                None
            }
            Err(Trouble::More(_)) if !self.ended => None,
            Err(Trouble::More(what)) => {
                let what = if what == "Unfinished string" {
                    "Unfinished string at EOF"
                } else {
                    "Unfinished JSON term at EOF"
                };
                let trouble = Trouble::More(what);
                Some(Err(ParseError::new(
                    &self.text,
                    self.before,
                    trouble,
                    false,
                )))
            }
            Err(trouble) => Some(Err(ParseError::new(
                &self.text,
                self.before,
                trouble,
                false,
            ))),
        }
    }

    fn raw(&mut self) -> Option<Result<V, ParseError>> {
        let rest = &self.text[self.at..];
        let end = match rest.iter().position(|b| *b == b'\n') {
            _ if self.mode.slurp => self.ended.then_some(rest.len())?,
            Some(end) => end,
            None => (self.ended).then_some(rest.len())?,
        };
        if rest.is_empty() {
            return None;
        }
        let line = V::text(String::from_utf8_lossy(&rest[..end]));
        let next = (self.at + end + usize::from(!self.mode.slurp)).min(self.text.len());
        self.pass(next);
        Some(Ok(line))
    }

    /// Advances to `end` and counts the complete lines.
    fn pass(&mut self, end: usize) {
        let ends_line = end
            .checked_sub(1)
            .is_some_and(|last| self.text[last] == b'\n');
        let rest_of_line = || self.text[end..].iter().position(|b| *b == b'\n');
        let upto = if ends_line || end < self.counted {
            end
        } else {
            rest_of_line().map_or(end, |more| end + more + 1)
        };
        if upto > self.counted {
            let new = &self.text[self.counted..upto];
            self.lines += new.iter().filter(|b| **b == b'\n').count();
            self.counted = upto;
        }
        self.at = end;
    }

    /// Drops the text that has been parsed.
    fn forget(&mut self) {
        self.before.add(&self.text[..self.at]);
        self.text.drain(..self.at);
        self.counted = self.counted.saturating_sub(self.at);
        self.at = 0;
    }

    fn more(&mut self) {
        self.forget();
        // Doubling the text with each read keeps the repeated parsing of a long value linear.
        let wanted = self.text.len().max(64 * 1024) as u64;
        let got = match (&mut self.open, &self.files) {
            (Some(file), _) => file.take(wanted).read_to_end(&mut self.text),
            (None, Some(_)) => Ok(0),
            (None, None) => some(self.stdin, &mut self.text, wanted as usize),
        };
        match got {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(e) => {
                let name = self.file.clone().unwrap_or_else(|| "<stdin>".to_owned());
                self.troubles
                    .push(format!("input error: {name}: {}", plainly(&e)));
                self.ended = true;
            }
        }
    }

    fn next_file(&mut self) -> bool {
        self.open = None;
        while let Some(path) = self.files.as_mut().and_then(VecDeque::pop_front) {
            match File::open(&path) {
                Ok(file) => {
                    self.open = Some(file);
                    self.file = Some(path.to_string_lossy().into_owned());
                    self.text.clear();
                    (self.at, self.counted, self.lines) = (0, 0, 0);
                    self.before = Before::default();
                    return true;
                }
                Err(e) => self.troubles.push(format!(
                    "error: Could not open {}: {}",
                    path.display(),
                    plainly(&e)
                )),
            }
        }
        false
    }
}

/// One `read` call, so that a value is parsed as soon as it arrives in the pipe.
fn some(stdin: &mut dyn Read, text: &mut Vec<u8>, wanted: usize) -> io::Result<usize> {
    let start = text.len();
    text.resize(start + wanted, 0);
    let got = loop {
        match stdin.read(&mut text[start..]) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    text.truncate(start + got.as_ref().copied().unwrap_or(0));
    got
}

/// `No such file or directory`, without Rust's `(os error 2)`.
pub fn plainly(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
