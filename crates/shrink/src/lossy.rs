//! Lossy reductions, each enabled by the user. Off by default; every omission is marked in the text.

mod context;
mod html;
mod runs;

/// A lossy reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lossy {
    /// Omit all but this many unchanged lines around each change of a diff.
    DiffContext(usize),
    /// Omit tests that passed.
    FailuresOnly,
    /// Omit the markup of a page.
    HtmlToText,
}

impl Lossy {
    /// Parses `diff-context=1`, `failures-only` or `html-to-text`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "failures-only" => Some(Self::FailuresOnly),
            "html-to-text" => Some(Self::HtmlToText),
            _ => {
                let lines = word.strip_prefix("diff-context=")?.parse().ok()?;
                Some(Self::DiffContext(lines))
            }
        }
    }
}

/// The reduced text; `None` if no option applies with certainty.
pub(crate) fn apply(text: &str, options: &[Lossy]) -> Option<String> {
    let mut new: Option<String> = None;
    for option in options {
        let text = new.as_deref().unwrap_or(text);
        let less = match option {
            Lossy::DiffContext(lines) => context::reduce(text, *lines),
            Lossy::FailuresOnly => runs::failures(text),
            Lossy::HtmlToText => html::to_text(text),
        };
        new = less.or(new);
    }
    new
}

/// The notation of every mark.
fn mark(what: &str) -> String {
    format!("[linkspan: {what} left out]")
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_names() {
        assert_eq!(Lossy::parse("diff-context=2"), Some(Lossy::DiffContext(2)));
        assert_eq!(Lossy::parse("failures-only"), Some(Lossy::FailuresOnly));
        assert_eq!(Lossy::parse("html-to-text"), Some(Lossy::HtmlToText));
        for wrong in ["", "diff-context", "diff-context=x", "all"] {
            assert_eq!(Lossy::parse(wrong), None);
        }
    }

    #[test]
    fn without_options_nothing_happens() {
        assert_eq!(apply("<!doctype html><p>hello", &[]), None);
    }
}
