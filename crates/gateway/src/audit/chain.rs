//! The chain of an audit log: each line has the SHA-256 of the line before.
//!
//! The digest is that of the bytes of the whole line without its newline: `sed -n 7p FILE | tr -d '\n' | sha256sum`
//! prints the `prev` of line 8. The first line of a file has 64 zeros.

use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::HEXLOWER;
use linkspan_wire::{Json, JsonKind, escape_json, quote};

/// The `prev` of the first line.
const NONE: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Characters of a text of a peer.
const LONGEST_TEXT: usize = 512;

/// Bytes that no line exceeds.
pub const LONGEST_LINE: usize = 256 << 10;

/// A line that has no place in the chain yet.
#[derive(Debug, Clone)]
pub struct AuditLine(String);

impl AuditLine {
    /// A line of an event at a time, which is RFC 3339.
    pub fn new(time: &str, event: &str) -> Self {
        let mut line = Self("{".to_owned());
        line.text("time", time);
        line.text("event", event);
        line
    }

    /// Adds a text. A long one is cut, and ends in `…` then.
    pub fn text(&mut self, key: &str, text: &str) {
        let mut chars = text.chars();
        let mut shown: String = chars.by_ref().take(LONGEST_TEXT).collect();
        if chars.next().is_some() {
            shown.push('…');
        }
        self.json(key, &escape_json(&quote(&shown)));
    }

    /// The same, if there is one.
    pub fn some_text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// Adds a number.
    pub fn number(&mut self, key: &str, number: u64) {
        self.json(key, &number.to_string());
    }

    /// Adds a value on one line.
    pub(super) fn json(&mut self, key: &str, json: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&escape_json(&quote(key)));
        self.0.push(':');
        self.0.push_str(json);
    }

    /// About how many bytes it has.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// The end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    prev: String,
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Chain {
    /// The end of an empty log.
    pub fn new() -> Self {
        Self {
            prev: NONE.to_owned(),
        }
    }

    /// The end of a log with this last line, without its newline.
    pub fn after(last: &[u8]) -> Self {
        Self {
            prev: sha256_hex(last),
        }
    }

    /// Adds a line; returns its text, without a newline.
    pub fn seal(&mut self, line: AuditLine) -> String {
        let text = format!(r#"{},"prev":"{}"}}"#, line.0, self.prev);
        self.prev = sha256_hex(text.as_bytes());
        text
    }
}

/// A log whose chain holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its lines.
    pub lines: u64,
    /// The SHA-256 of the last line, or 64 zeros. Only a copy of it that is kept elsewhere shows a change of the last
    /// line, or that lines are missing at the end.
    pub last: String,
}

/// The first line at which a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Broken {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong.
    pub why: WhyBroken,
}

/// Why a line breaks the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyBroken {
    /// It is not JSON with `prev`.
    #[error("it is not a whole line of an audit log")]
    NotALine,
    /// It is longer than any line of a log.
    #[error("it has more than {} KiB", LONGEST_LINE >> 10)]
    TooLong,
    /// The first line has the digest of a line.
    #[error(
        "its `prev` is not that of a first line: lines before it are missing, or it was changed"
    )]
    NotTheFirst,
    /// It was written after another line.
    #[error(
        "its `prev` is not the SHA-256 of the line before: one of them was changed, or lines were removed or moved"
    )]
    OtherLine,
}

/// Checks a chain, line by line.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    chain: Chain,
    lines: u64,
}

impl Verifier {
    /// Takes the next line, without its newline.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Broken> {
        let number = self.lines + 1;
        self.check(line)
            .map_err(|why| Broken { line: number, why })?;
        self.chain = Chain::after(line);
        self.lines = number;
        Ok(())
    }

    fn check(&self, line: &[u8]) -> Result<(), WhyBroken> {
        if line.len() > LONGEST_LINE {
            return Err(WhyBroken::TooLong);
        }
        let text = std::str::from_utf8(line).map_err(|_| WhyBroken::NotALine)?;
        let json = Json::parse(text).map_err(|_| WhyBroken::NotALine)?;
        // White space around a value is not a part of it.
        let is_whole = json.text() == text && json.kind() == JsonKind::Object;
        let mut prevs = json.members().filter(|(key, _)| key == "prev");
        let prev = prevs.next().and_then(|(_, value)| value.as_str());
        match prev {
            Some(_) if !is_whole || prevs.next().is_some() => Err(WhyBroken::NotALine),
            Some(prev) if prev == self.chain.prev => Ok(()),
            Some(_) if self.lines == 0 => Err(WhyBroken::NotTheFirst),
            Some(_) => Err(WhyBroken::OtherLine),
            None => Err(WhyBroken::NotALine),
        }
    }

    /// The result after the last line.
    pub fn finish(self) -> Verified {
        Verified {
            lines: self.lines,
            last: self.chain.prev,
        }
    }
}

/// Checks a whole log.
pub fn verify<L: AsRef<[u8]>>(lines: impl IntoIterator<Item = L>) -> Result<Verified, Broken> {
    let mut verifier = Verifier::default();
    for line in lines {
        verifier.line(line.as_ref())?;
    }
    Ok(verifier.finish())
}

pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(texts: &[String]) -> Vec<String> {
        let mut chain = Chain::new();
        let line = |text: &String| {
            let mut line = AuditLine::new("2026-11-19T20:00:00Z", "call");
            line.text("tool", text);
            chain.seal(line)
        };
        texts.iter().map(line).collect()
    }

    fn broken(lines: &[String]) -> (u64, WhyBroken) {
        let broken = verify(lines).unwrap_err();
        (broken.line, broken.why)
    }

    #[test]
    fn a_line_has_the_sha256_of_the_line_before() {
        let lines = log(&["a".to_owned(), "b".to_owned()]);
        assert_eq!(
            lines[0],
            format!(
                r#"{{"time":"2026-11-19T20:00:00Z","event":"call","tool":"a","prev":"{NONE}"}}"#
            )
        );
        // By sha256sum.
        let prev = "2de8e168875f85806dff41604089fcdf5c20941362f3ee8f7971f2eac3e1f565";
        assert!(
            lines[1].ends_with(&format!(r#""prev":"{prev}"}}"#)),
            "{}",
            lines[1]
        );
    }

    #[test]
    fn a_chain_goes_on_after_a_restart() {
        let texts: Vec<_> = (0..4).map(|n| n.to_string()).collect();
        let lines = log(&texts);
        let mut chain = Chain::after(lines[2].as_bytes());
        let mut line = AuditLine::new("2026-11-19T20:00:00Z", "call");
        line.text("tool", "3");
        assert_eq!(chain.seal(line), lines[3]);
    }

    #[test]
    fn every_break_says_where_and_why() {
        let lines = log(&["a", "b", "c", "d"].map(str::to_owned));
        assert_eq!(verify(&lines).map(|log| log.lines), Ok(4));
        assert_eq!(verify([""; 0]).map(|log| log.last), Ok(NONE.to_owned()));
        assert_eq!(broken(&lines[1..]), (1, WhyBroken::NotTheFirst));
        let gap = [&lines[..1], &lines[2..]].concat();
        assert_eq!(broken(&gap), (2, WhyBroken::OtherLine));
        let mut changed = lines.clone();
        changed[1] = changed[1].replace("\"b\"", "\"x\"");
        assert_eq!(broken(&changed), (3, WhyBroken::OtherLine));
        let mut torn = lines.clone();
        torn[2].truncate(30);
        assert_eq!(broken(&torn), (3, WhyBroken::NotALine));
        let mut twice = lines.clone();
        twice[3] = twice[3].replacen('{', &format!(r#"{{"prev":"{NONE}","#), 1);
        assert_eq!(broken(&twice), (4, WhyBroken::NotALine));
        let long = vec!["x".repeat(LONGEST_LINE + 1)];
        assert_eq!(broken(&long), (1, WhyBroken::TooLong));
    }

    proptest! {
        #[test]
        fn every_log_that_was_written_holds(texts in prop::collection::vec("\\PC{0,20}", 0..20)) {
            let lines = log(&texts);
            let verified = verify(&lines).unwrap();
            prop_assert_eq!(verified.lines, lines.len() as u64);
            if let Some(last) = lines.last() {
                prop_assert_eq!(verified.last, sha256_hex(last.as_bytes()));
            }
        }

        #[test]
        fn a_single_edit_is_found(
            texts in prop::collection::vec("[a-z]{0,6}", 2..8),
            edit in 0usize..4,
            line in any::<prop::sample::Index>(),
            at in any::<prop::sample::Index>(),
            with in any::<u8>(),
        ) {
            let lines = log(&texts);
            let whole = verify(&lines).unwrap();
            let mut edited: Vec<Vec<u8>> = lines.iter().map(|line| line.clone().into()).collect();
            let line = line.index(lines.len());
            let at = at.index(lines[line].len());
            match edit {
                0 => edited[line][at] = with,
                1 => edited[line].insert(at, with),
                2 => drop(edited.remove(line)),
                _ => {
                    let other = at % lines.len();
                    edited.swap(line, other);
                }
            }
            let is_equal = edited.iter().map(|line| &line[..]).eq(lines.iter().map(String::as_bytes));
            match verify(&edited) {
                // The digest of the last line shows an edit at the end.
                Ok(log) => prop_assert_eq!(log == whole, is_equal),
                Err(broken) => {
                    prop_assert!(!is_equal);
                    prop_assert!(broken.line <= lines.len() as u64);
                }
            }
        }

        #[test]
        fn any_bytes_are_checked_without_panic(line in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(verify([line]).is_err());
        }
    }
}
