//! Decodes a body.

use super::files::Files;
use super::head::{Head, Style};
use super::separators::Separators;
use super::{LITERAL, SEPARATOR, hit};
use crate::rendering::Malformed;

/// Decodes a body to the original text.
pub(super) fn read(head: &Head, body: &str, limit: usize) -> Result<String, Malformed> {
    let mut files = Files::new(head);
    let mut separators = Separators::new(head);
    let mut out = String::with_capacity(body.len() * 2);
    let mut rest = String::new();
    let mut named = false;
    // A line with a file name produces no output line.
    let mut begun = false;
    let mut lines = body.split('\n').enumerate();
    let mut texts = Vec::new();
    // Limited by the number of lines, whatever count the head has.
    for (index, line) in lines.by_ref().take(head.texts) {
        let text = line
            .split_once('\t')
            .filter(|(name, _)| name.starts_with('$'));
        let (_, text) = text.ok_or_else(|| Malformed::new(index + 1, "not a repeated text"))?;
        texts.push(text);
    }
    for (index, line) in lines {
        let wrong = |why: &str| Malformed::new(index + 1, why);
        if let Some(name) = name(line, head.style) {
            files.read(name).map_err(wrong)?;
            named = true;
            continue;
        }
        if begun {
            out.push('\n');
        }
        begun = true;
        if line == SEPARATOR || line.is_empty() && head.style == Style::Numbered {
            separators.forget();
            out.push_str(line);
        } else if let Some(literal) = line.strip_prefix(LITERAL) {
            separators.forget();
            out.push_str(literal);
        } else {
            if !named {
                return Err(wrong("no file was named before this line"));
            }
            let sign = match head.style {
                Style::Text => {
                    line.clone_into(&mut rest);
                    hit::sign_of_text(line)
                }
                Style::Numbered => hit::read(line, head, &texts, &mut rest)
                    .ok_or_else(|| wrong("neither a file name nor a numbered line"))?,
            };
            if separators.is_before(files.current(), &rest) {
                out.push_str(SEPARATOR);
                out.push('\n');
            }
            out.push_str(files.current());
            out.push_str(sign);
            out.push_str(&rest);
        }
        if out.len() > limit {
            return Err(wrong("the decoded text would exceed the size limit"));
        }
    }
    Ok(out)
}

/// The file name on a line, if it has one.
fn name(line: &str, style: Style) -> Option<&str> {
    match style {
        Style::Text => line.strip_prefix('>'),
        Style::Numbered if line.is_empty() || line == SEPARATOR => None,
        Style::Numbered => {
            let other = line.starts_with(|c: char| c.is_ascii_digit() || c == LITERAL);
            (!other).then_some(line)
        }
    }
}
