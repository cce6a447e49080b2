//! HTML pages as text: the visible text with links, lists and tables.

use super::mark;

/// The text of a page; `None` if `text` is not a page.
pub(super) fn to_text(text: &str) -> Option<String> {
    let begin = text.trim_start().get(..15)?.to_ascii_lowercase();
    let is_page = begin.starts_with("<!doctype html") || begin.starts_with("<html");
    if !is_page {
        return None;
    }
    let mut page = Page::default();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = page.tag(&rest[at..]);
    }
    page.text(rest);
    let shown = page.finish();
    let bytes = text.len().saturating_sub(shown.len());
    Some(format!(
        "{}\n{shown}",
        mark(&format!("{bytes} bytes of markup, scripts and styles"))
    ))
}

/// Elements whose content is not shown.
const HIDDEN: [&str; 7] = [
    "script", "style", "noscript", "template", "svg", "head", "iframe",
];
const BLOCKS: [&str; 22] = [
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "form",
    "blockquote",
    "figure",
    "hr",
    "pre",
    "fieldset",
];

#[derive(Default)]
struct Page {
    out: String,
    /// How many `pre` elements are open; white space is copied inside them.
    pre: usize,
    /// Targets of the open links, innermost last.
    links: Vec<String>,
    /// A cell of the current row has been written.
    in_row: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        let text = unescape(text);
        if self.pre > 0 {
            return self.out.push_str(&text);
        }
        for (i, word) in text.split_ascii_whitespace().enumerate() {
            let begins = i > 0 || text.starts_with(|c: char| c.is_ascii_whitespace());
            if begins && !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
        let ends = text.ends_with(|c: char| c.is_ascii_whitespace());
        if ends && !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
    }

    /// Processes the tag at the beginning of `text`; returns the text behind it.
    fn tag<'a>(&mut self, text: &'a str) -> &'a str {
        if let Some(comment) = text.strip_prefix("<!--") {
            return comment.find("-->").map_or("", |end| &comment[end + 3..]);
        }
        let Some(end) = end_of_tag(text) else {
            // A literal angle bracket.
            self.out.push('<');
            return &text[1..];
        };
        let inside = &text[1..end];
        let rest = &text[end + 1..];
        let closing = inside.starts_with('/');
        let inside = inside.trim_start_matches('/');
        let length = inside.find(|c: char| !c.is_ascii_alphanumeric());
        let name = inside[..length.unwrap_or(inside.len())].to_ascii_lowercase();
        if HIDDEN.contains(&&*name) && !closing && !inside.ends_with('/') {
            return self.hidden(&name, rest);
        }
        match (&*name, closing) {
            ("br", _) => self.new_line(1),
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.new_line(2);
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => self.new_line(2),
            ("li", false) => {
                self.new_line(1);
                self.out.push_str("- ");
            }
            ("td" | "th", false) => {
                let between = if self.in_row { " | " } else { "" };
                self.out.push_str(between);
                self.in_row = true;
            }
            ("tr", _) => {
                self.in_row = false;
                self.new_line(1);
            }
            ("a", false) => self
                .links
                .push(attribute(inside, "href").unwrap_or_default()),
            ("a", true) => {
                let link = self.links.pop().unwrap_or_default();
                if !link.is_empty() && !link.starts_with(['#']) && !link.starts_with("javascript:")
                {
                    self.out.push_str(&format!(" ({link})"));
                }
            }
            ("img", _) => {
                let alt = attribute(inside, "alt").unwrap_or_default();
                if !alt.is_empty() {
                    self.out.push_str(&format!("[image: {alt}]"));
                }
            }
            ("pre", false) => {
                self.new_line(1);
                self.pre += 1;
            }
            ("pre", true) => {
                self.pre = self.pre.saturating_sub(1);
                self.new_line(1);
            }
            (block, _) if BLOCKS.contains(&block) => {
                self.new_line(if block == "p" { 2 } else { 1 });
            }
            _ => {}
        }
        rest
    }

    /// Skips a hidden element, except for the title of the page.
    fn hidden<'a>(&mut self, name: &str, rest: &'a str) -> &'a str {
        let Some(end) = find_closing(rest, name) else {
            return "";
        };
        if name == "head"
            && let Some(start) = find_ignoring_case(&rest[..end], "<title>")
            && let Some(length) = find_closing(&rest[start..end], "title")
        {
            self.out.push_str("# ");
            self.text(rest[start + 7..start + length].trim());
            self.new_line(2);
        }
        let after = &rest[end..];
        after.find('>').map_or("", |end| &after[end + 1..])
    }

    fn new_line(&mut self, count: usize) {
        if self.pre > 0 {
            return self.out.push('\n');
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if self.out.is_empty() {
            return;
        }
        let there = self.out.len() - self.out.trim_end_matches('\n').len();
        for _ in there..count {
            self.out.push('\n');
        }
    }

    fn finish(self) -> String {
        self.out.trim().to_owned() + "\n"
    }
}

/// The end of the tag at the beginning of `text`; quoted attributes may contain brackets.
fn end_of_tag(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = bytes.get(1)?;
    if !first.is_ascii_alphabetic() && !b"/!?".contains(first) {
        return None;
    }
    let mut quote = None;
    for (i, byte) in bytes.iter().enumerate().take(LONGEST_TAG).skip(1) {
        match (quote, byte) {
            (None, b'>') => return Some(i),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// A bracket that is not closed within this many bytes is a literal one. Bounds the time for an adversarial page.
const LONGEST_TAG: usize = 64 << 10;

fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = find_ignoring_case(tag, &format!("{name}="))?;
    let value = &tag[at + name.len() + 1..];
    let value = match value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => value[1..].split(*quote as char).next()?,
        _ => value.split([' ', '>']).next()?,
    };
    Some(unescape(value).into_owned())
}

fn find_closing(text: &str, name: &str) -> Option<usize> {
    find_ignoring_case(text, &format!("</{name}"))
}

fn find_ignoring_case(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    let first = *what.first()?;
    let (low, high) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(low, high, text).find(|at| {
        text.get(*at..*at + what.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(what))
    })
}

/// Replaces entities by their characters; unknown ones stay.
fn unescape(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest[1..].split_once(';').map(|(name, _)| name);
        match name
            .filter(|name| name.len() <= 10)
            .and_then(|name| Some((entity(name)?, name)))
        {
            Some((character, name)) => {
                out.push(character);
                rest = &rest[name.len() + 2..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out.into()
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        "copy" => '©',
        "rarr" => '→',
        "larr" => '←',
        "times" => '×',
        "middot" => '·',
        "bull" => '•',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_its_visible_text() {
        let page = "<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style></head>\
            <body><h2>Things</h2><p>Some <b>bold</b> text,\n  and <a href=\"https://x.example/a?b=1&amp;c=2\">a link</a>.</p>\
            <ul><li>one<li>two</ul><table><tr><th>k<th>v</tr><tr><td>a</td><td>1 &lt; 2</td></tr></table>\
            <script>if (a<b) alert('</p>')</script><pre>x\n  y</pre><!-- no --><img alt=\"a cat\" src=x></body></html>";
        assert_eq!(
            to_text(page).unwrap().split_once('\n').unwrap().1,
            "# A & B\n\n## Things\n\nSome bold text, and a link (https://x.example/a?b=1&c=2).\n\n- one\n- two\nk | v\na | 1 < 2\nx\n  y\n[image: a cat]\n"
        );
    }

    #[test]
    fn a_text_that_is_not_a_page_stays() {
        for text in [
            "<p>hello</p> and more text",
            "a < b",
            "",
            "<svg><html></svg> x",
        ] {
            assert_eq!(to_text(text), None, "{text}");
        }
    }

    #[test]
    fn malformed_pages_are_converted_without_a_panic() {
        for text in [
            "<!doctype html><",
            "<!doctype html><a href='x",
            "<!doctype html><script>never closed",
            "<html><!-- never closed",
            "<html>&#xffffffff; &; &nope; &",
            "<html></pre></a></tr>&é;<ä>",
        ] {
            assert!(to_text(text).is_some(), "{text}");
        }
    }
}
