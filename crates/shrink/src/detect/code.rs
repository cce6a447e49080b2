//! The content of a file below a line with its path.

use super::found::{Detection, Found};
use super::line::{Line, is_file, is_path};
use crate::kind::Kind;

const SURE: f32 = 0.8;

/// The path in a line that announces a file: `## src/main.rs`, `File: main.rs`, `==> main.rs <==`, `// main.rs`,
/// `src/main.rs:`.
pub(super) fn header(line: Line<'_>) -> Option<&str> {
    let text = line.trimmed();
    if text.len() < 3 || text.len() > 512 || line.indent() > 0 {
        return None;
    }
    let marked = match text.as_bytes()[0] {
        b'#' => Some(text.trim_matches('#')),
        b'=' => text
            .strip_prefix("==> ")
            .and_then(|text| text.strip_suffix(" <=="))
            .or(Some(text.trim_matches('='))),
        b'-' => Some(text.trim_matches('-')),
        b'*' => Some(text.trim_matches('*')),
        b'/' if text.starts_with("// ") => Some(&text[3..]),
        b'<' => attribute(text),
        _ => named(text),
    };
    let path = marked.unwrap_or(text).trim_matches([' ', '`', '*', '"']);
    let path = path.strip_suffix(':').unwrap_or(path);
    let path = named(path)
        .unwrap_or(path)
        .trim_matches([' ', '`', '*', '"']);
    let is_marked = marked.is_some() || text.ends_with(':');
    (is_marked && is_file(path)).then_some(path)
}

/// `File: path`, `Path: path`, `Contents of path`
fn named(text: &str) -> Option<&str> {
    const NAMES: [&str; 8] = [
        "File: ",
        "file: ",
        "FILE: ",
        "Path: ",
        "path: ",
        "Filename: ",
        "Contents of ",
        "Source: ",
    ];
    NAMES.iter().find_map(|name| text.strip_prefix(name))
}

/// `<file path="…">`, `<document name='…'>`
fn attribute(text: &str) -> Option<&str> {
    let (_, rest) = text
        .split_once("path=")
        .or_else(|| text.split_once("name="))?;
    let quote = rest
        .chars()
        .next()
        .filter(|one| matches!(one, '"' | '\''))?;
    let path = rest[1..].split(quote).next()?;
    is_path(path).then_some(path)
}

/// Finds code, up to the next path or the end of the text.
pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    let (mut code, mut prose, mut end) = (0, 0, first.start);
    for line in first.and_below(text) {
        if line.is_blank() {
            continue;
        }
        if line.start > first.start && ends(line) {
            break;
        }
        if is_code(line) {
            code += 1
        } else {
            prose += 1
        }
        end = line.next;
    }
    if code < 2 || code < prose {
        return Detection::NotBefore(end);
    }
    Detection::Yes(Found {
        end,
        kind: Kind::Code,
        confidence: SURE,
    })
}

/// Whether a line ends the code: a rule, a fence, a closing tag or the next path.
fn ends(line: Line<'_>) -> bool {
    let text = line.text;
    text == "---"
        || text.starts_with("```")
        || text.starts_with("</file")
        || text.starts_with("</document")
        || header(line).is_some()
}

/// Whether a line looks like code: by its end, its beginning, or its indentation.
fn is_code(line: Line<'_>) -> bool {
    const BEGIN: [&str; 24] = [
        "fn ",
        "pub ",
        "let ",
        "use ",
        "mod ",
        "impl ",
        "def ",
        "class ",
        "import ",
        "from ",
        "return",
        "if ",
        "for ",
        "while ",
        "const ",
        "var ",
        "function ",
        "export ",
        "#include",
        "package ",
        "//",
        "#",
        "/*",
        "@",
    ];
    let text = line.trimmed();
    line.indent() > 0
        || text.ends_with(['{', '}', ';', ')', ',', '(', '[', ']', '>', '='])
        || BEGIN.iter().any(|begin| text.starts_with(begin))
        || text.contains(" = ")
        || text.ends_with(':') && !text.contains(' ')
}
