//! Recognises source code by the share of lines that are statements, declarations or comments.
//!
//! Like logs, code repeats line patterns, and it contains tables. But a model edits code by quoting it exactly, so no
//! part of it may be rewritten.

mod words;

use self::words::{DIRECTIVES, STRONG, WEAK};
use super::line::{Line, digits};
use super::log::begins_with_a_time;
use super::search::{bare_hit, hit};
use super::time::stamp;
use crate::kind::Kind;

/// Fewer lines of code are not a source file.
const LEAST: usize = 3;

/// How many bytes of a line are examined for signs of output.
const FAR: usize = 400;

/// What a line indicates about the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Source code.
    Code,
    /// Program output: a log, search results, a numbered listing.
    Output,
    /// Any other text.
    Other,
    /// No indication: a bracket or comment, which occurs in code and other text.
    Nothing,
}

/// The number of lines per sign.
#[derive(Debug, Default)]
struct Shape {
    code: usize,
    output: usize,
    other: usize,
}

impl Shape {
    fn add(&mut self, line: Line<'_>) {
        match sign(line) {
            Sign::Code => self.code += 1,
            Sign::Output => self.output += 1,
            Sign::Other => self.other += 1,
            Sign::Nothing => {}
        }
    }

    /// Whether at least `percent` of the lines are code, and few are program output.
    fn is_code(&self, percent: usize) -> bool {
        let all = self.code + self.output + self.other;
        self.code > 0 && self.code * 100 >= all * percent && self.output * 8 <= self.code
    }
}

/// Whether a whole text is source code. A text with fences or diffs has several parts, which are checked separately.
pub(super) fn is_source(text: &str) -> bool {
    let mut shape = Shape::default();
    for line in Line::at(text, 0)
        .into_iter()
        .flat_map(|first| first.and_below(text))
    {
        let starts = |with| line.text.starts_with(with);
        if starts("```") || starts("~~~") || starts("diff --git ") || starts("@@ -") {
            return false;
        }
        shape.add(line);
    }
    shape.code >= LEAST && shape.is_code(30)
}

/// Whether a region that a finder took for another kind is code.
pub(super) fn is_code(region: &str, kind: Kind) -> bool {
    let may_be = matches!(
        kind,
        Kind::Log | Kind::Csv | Kind::Drawn | Kind::Paths | Kind::Search | Kind::Tree
    );
    if !may_be {
        return false;
    }
    let mut shape = Shape::default();
    for line in Line::at(region, 0)
        .into_iter()
        .flat_map(|first| first.and_below(region))
    {
        shape.add(line);
    }
    shape.is_code(50)
}

fn sign(line: Line<'_>) -> Sign {
    let text = line.trimmed();
    let Some(&first) = text.as_bytes().first() else {
        return Sign::Nothing;
    };
    if is_output(line, text) {
        return Sign::Output;
    }
    if text.starts_with("//") || text.starts_with("/*") || text.starts_with("*/") {
        return Sign::Code;
    }
    if first == b'#' {
        let is_directive = DIRECTIVES.iter().any(|word| text.starts_with(word));
        return if is_directive {
            Sign::Code
        } else {
            Sign::Nothing
        };
    }
    if first == b'*'
        || text.starts_with("--")
        || text.starts_with("\"\"\"")
        || text.starts_with("'''")
    {
        return Sign::Nothing;
    }
    if text
        .bytes()
        .all(|byte| matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b',' | b';'))
    {
        // JSON has lines like these too, but no semicolons.
        return if text.contains(';') {
            Sign::Code
        } else {
            Sign::Nothing
        };
    }
    let text = without_comment(text);
    if text.is_empty() {
        Sign::Nothing
    } else if is_statement(line, text) {
        Sign::Code
    } else {
        Sign::Other
    }
}

/// Whether a line is part of a log, search results, a numbered listing, a stack trace or a drawing.
fn is_output(line: Line<'_>, text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = digits(bytes);
    let marked = match bytes.get(number..).unwrap_or_default() {
        [b'\t' | b'|', ..] | [b' ', b'|', ..] => true,
        [b':' | b'-', ..] => line.indent() == 0,
        rest => rest.starts_with("→".as_bytes()) || rest.starts_with(" │".as_bytes()),
    };
    let is_trace = text.starts_with("at ") && text.ends_with(')')
        || text.starts_with("File \"") && text.contains("\", line ");
    let is_number = number > 0 && text.ends_with(',');
    number > 0 && number < 10 && marked
        || matches!(bytes[0], b'|' | b'+')
        || ["├", "└", "│", "┌", "╭"]
            .iter()
            .any(|mark| text.starts_with(mark))
        || is_trace
        || !is_number
            && bytes[0] != b'"'
            && (begins_with_a_time(line.head(FAR).as_bytes()) || stamp(bytes).is_some())
        || begins_with_a_level(bytes)
        || bare_hit(line).is_some()
        || hit(line).is_some_and(|path| path.len() > 1 && path.contains(['.', '/', '\\']))
}

fn begins_with_a_level(text: &[u8]) -> bool {
    const LEVELS: [&str; 9] = [
        "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL",
    ];
    let open = usize::from(matches!(text.first(), Some(b'[' | b'(' | b'<')));
    let word = text[open..]
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    let after = text.get(open + word);
    let is_level = LEVELS
        .iter()
        .any(|level| level.as_bytes() == &text[open..open + word]);
    is_level && matches!(after, Some(b']' | b')' | b'>' | b':' | b' ' | b'|'))
}

/// A line without the comment at its end.
fn without_comment(text: &str) -> &str {
    let marks = [" // ", " /* ", " # "];
    let end = marks.iter().filter_map(|mark| text.find(mark)).min();
    end.map_or(text, |end| text[..end].trim_end())
}

fn is_statement(line: Line<'_>, text: &str) -> bool {
    let bytes = text.as_bytes();
    let (first, last) = (bytes[0], bytes[bytes.len() - 1]);
    let is_member = first == b'"' && text.contains("\":");
    if is_member {
        return false;
    }
    match last {
        // A row of values contains no spaces.
        b';' => return text.contains([' ', '(']) || memchr::memchr_iter(b';', bytes).count() < 3,
        b'{' | b'(' | b'\\' => return true,
        b'&' if text.ends_with("&&") => return true,
        b'|' if text.ends_with("||") => return true,
        b'>' if text.ends_with("=>") => return true,
        _ => {}
    }
    let ends = |with: &[u8]| with.contains(&last);
    match first {
        // Adjacent string literals are concatenated.
        b'"' => return line.indent() > 0 && bytes.len() > 1 && last == b'"',
        b'\'' => return line.indent() > 0 && ends(b",'"),
        b'@' => return bytes.get(1).is_some_and(u8::is_ascii_alphabetic),
        b'.' => {
            return bytes
                .get(1)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        }
        // A tuple in a list of values.
        b'(' => return text.ends_with("),") || text.ends_with(");"),
        b'{' => return text.ends_with("},") && !text.contains("\":"),
        b'}' | b')' | b'?' | b':' if bytes.get(1) == Some(&b' ') => return true,
        _ => {}
    }
    begins_with_a_keyword(text, last)
        || is_call_or_assignment(line, text, last)
        || ends(b",)")
            && ["=>", "::", "->", "&&", "||"]
                .iter()
                .any(|sign| text.contains(sign))
        || last == b',' && text.contains("0x")
        || is_instruction(line, text)
}

fn begins_with_a_keyword(text: &str, last: u8) -> bool {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (word, rest) = text.split_at(length);
    if STRONG.binary_search(&word).is_ok() {
        return matches!(rest.as_bytes().first(), None | Some(b' ' | b'(' | b'!'));
    }
    if WEAK.binary_search(&word).is_err() {
        return false;
    }
    let follows = matches!(
        rest.as_bytes().first(),
        None | Some(b' ' | b'(' | b':' | b'.' | b'<' | b'*' | b'&' | b'!')
    );
    let is_code = rest.is_empty()
        || b"{}(),:[]".contains(&last)
        || rest.contains(['(', '"', '\''])
        || rest.contains(" = ");
    follows && is_code
}

/// `name(…)`, `name!(…`, `name = …`, `name.name += …`
fn is_call_or_assignment(line: Line<'_>, text: &str, last: u8) -> bool {
    let sigils = text
        .bytes()
        .take_while(|byte| b"&*!$@%".contains(byte))
        .count();
    let named = &text[sigils..];
    if !named.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return false;
    }
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$:<>[]'\"-".contains(byte);
    let length = named
        .as_bytes()
        .iter()
        .take_while(|byte| is_inside(byte))
        .count();
    let rest = &named[length..];
    if rest.starts_with("!(") || rest.starts_with('(') && closes_at_the_end(rest) {
        return true;
    }
    const SIGNS: [&str; 10] = [
        " = ", " := ", " += ", " -= ", " *= ", " |= ", " &= ", " == ", " != ", " => ",
    ];
    let assigns = SIGNS.iter().any(|sign| rest.starts_with(sign)) || rest.ends_with(" =");
    assigns && (line.indent() > 0 || b",;({[)".contains(&last)) || rest.starts_with("=$(")
}

/// Whether the bracket that a text begins with is closed near its end, with at most two characters after it.
fn closes_at_the_end(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let after = &text[at + 1..];
            return after.len() <= 2 && after.bytes().all(|byte| b",.:?)]".contains(&byte));
        }
    }
    // The call continues on the next line.
    text.ends_with(',')
}

/// Whether a line is an assembler instruction: a mnemonic and its operands.
fn is_instruction(line: Line<'_>, text: &str) -> bool {
    if line.indent() == 0 {
        return false;
    }
    let is_mnemonic =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'.';
    let length = text
        .as_bytes()
        .iter()
        .take_while(|byte| is_mnemonic(byte))
        .count();
    let (word, operands) = text.split_at(length);
    let operands = match operands.as_bytes().first() {
        Some(b' ' | b'\t') => operands.trim_start_matches([' ', '\t']),
        _ => return false,
    };
    // An operand with an assembler's mark: a register, an address or a number.
    let is_marked = |operand: &str| {
        let letters = operand.bytes().take_while(u8::is_ascii_lowercase).count();
        let number = digits(&operand.as_bytes()[letters..]);
        let after = operand.as_bytes().get(letters + number);
        let is_register = (1..=4).contains(&letters) && (1..=2).contains(&number);
        is_register && matches!(after, None | Some(b'.'))
            || operand.starts_with(['%', '$', '#', '['])
    };
    let mut parts = operands.split(',').map(str::trim);
    (1..=12).contains(&word.len())
        && word.starts_with(|first: char| first.is_ascii_lowercase())
        && operands.contains(',')
        && parts.clone().all(|part| !part.is_empty())
        && (parts.clone().all(|part| !part.contains(' ')) || parts.any(is_marked))
}
