//! Text for a manual page, in troff.

/// Paragraphs, and examples that keep their lines: those begin with a space.
#[must_use]
pub fn paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = false;
    for line in text.lines() {
        let keeps = line.starts_with(' ');
        if keeps != kept {
            out.push_str(if keeps { ".nf\n" } else { ".fi\n" });
            kept = keeps;
        }
        match line {
            "" => out.push_str(".PP"),
            line => out.push_str(&plain(line)),
        }
        out.push('\n');
    }
    if kept {
        out.push_str(".fi\n");
    }
    out
}

/// A line without characters that are special to troff.
#[must_use]
pub fn plain(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

/// A whole page: troff reads bytes, so every character that is not ASCII is written by its number.
#[must_use]
pub fn ascii(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for c in page.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&format!("\\[u{:04X}]", c as u32));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_paragraphs_do_not() {
        assert_eq!(
            paragraphs("Text.\n\nExamples:\n  a -b\n  c"),
            "Text.\n.PP\nExamples:\n.nf\n  a \\-b\n  c\n.fi\n"
        );
    }

    #[test]
    fn a_line_has_no_requests_and_a_page_only_ascii() {
        assert_eq!(plain(".x"), "\\&.x");
        assert_eq!(plain("a\\b"), "a\\eb");
        assert_eq!(ascii("a…"), "a\\[u2026]");
    }
}
