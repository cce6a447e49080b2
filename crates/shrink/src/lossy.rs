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

/// A word that names no lossy reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it must be diff-context=N, failures-only or html-to-text")]
pub struct UnknownLossy;

impl Lossy {
    /// Parses `diff-context=1`, `failures-only` or `html-to-text`.
    pub fn parse(word: &str) -> Result<Self, UnknownLossy> {
        match word {
            "failures-only" => Ok(Self::FailuresOnly),
            "html-to-text" => Ok(Self::HtmlToText),
            _ => {
                let lines = word.strip_prefix("diff-context=").ok_or(UnknownLossy)?;
                let lines = lines.parse().map_err(|_| UnknownLossy)?;
                Ok(Self::DiffContext(lines))
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
        assert_eq!(Lossy::parse("diff-context=2"), Ok(Lossy::DiffContext(2)));
        assert_eq!(Lossy::parse("failures-only"), Ok(Lossy::FailuresOnly));
        assert_eq!(Lossy::parse("html-to-text"), Ok(Lossy::HtmlToText));
        for wrong in ["", "diff-context", "diff-context=x", "all"] {
            assert_eq!(Lossy::parse(wrong), Err(UnknownLossy));
        }
    }

    #[test]
    fn without_options_nothing_happens() {
        assert_eq!(apply("<!doctype html><p>hello", &[]), None);
    }
}
