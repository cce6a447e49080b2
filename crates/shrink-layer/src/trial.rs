//! A text before and after shrinking, printed as text or JSON.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use linkspan_shrink::{Kept, Tried};
use linkspan_wire::{escape_line, quote};

use crate::stats::{Row, percent};

const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// The outcome for one text.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The file with the text.
    pub file: &'a str,
    /// The result.
    pub tried: &'a Tried,
    /// How long it took, in milliseconds.
    pub millis: f64,
}

impl Trial<'_> {
    /// Whether a shorter form, if there is one, decodes to the original.
    pub fn is_faithful(&self) -> bool {
        self.tried.worked.kept != Some(Kept::Unfaithful)
    }

    /// The row for statistics.
    pub fn row(&self) -> Row {
        Row {
            calls: 1,
            changed: u64::from(self.tried.worked.text.is_some()),
            before: self.tried.worked.before,
            after: self.tried.worked.after,
            micros: 0,
        }
    }

    /// Writes the outcome as coloured text.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (worked, millis) = (&self.tried.worked, self.millis);
        writeln!(out, "{NAME}{}{NAME:#}", escape_line(self.file))?;
        for region in &self.tried.regions {
            writeln!(
                out,
                "  {DIM}lines {}-{}: {} ({:.2}){DIM:#}",
                region.first_line, region.last_line, region.kind, region.confidence
            )?;
        }
        let (before, after) = (worked.before, worked.after);
        if worked.text.is_none() {
            let why = worked.kept.map_or("nothing to do", reason);
            return writeln!(out, "  {before} tokens, passes unchanged: {why}");
        }
        let (mark, colour) = if worked.lossless {
            ("lossless ✓", GOOD)
        } else {
            ("not lossless: marked in the text", BAD)
        };
        let saved = percent(before, after);
        writeln!(
            out,
            "  {before} → {after} tokens, {saved} saved, {colour}{mark}{colour:#} {DIM}({millis:.1} ms){DIM:#}"
        )
    }

    /// The figures as JSON.
    pub fn json(&self) -> String {
        let (worked, millis) = (&self.tried.worked, self.millis);
        let kinds: Vec<String> = worked.kinds.iter().map(|kind| quote(kind.name())).collect();
        let kept = worked
            .kept
            .map_or("null".to_owned(), |kept| quote(reason(kept)));
        format!(
            r#"{{"file":{},"before":{},"after":{},"changed":{},"lossless":{},"kinds":[{}],"kept":{kept},"ms":{millis:.3}}}"#,
            quote(self.file),
            worked.before,
            worked.after,
            worked.text.is_some(),
            worked.lossless,
            kinds.join(",")
        )
    }
}

fn reason(kept: Kept) -> &'static str {
    match kept {
        Kept::Short => "it is short",
        Kept::Unknown => "nothing in it has a shorter form",
        Kept::NotWorthIt => "the shorter form would not save enough",
        Kept::Unfaithful => "the shorter form did not decode to the original",
        Kept::Stopped => "the time limit was reached",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_shrink::{Policy, Stop, try_text};

    #[test]
    fn a_text_that_passes_as_it_is_has_its_reason() {
        let tried = try_text("short", &Policy::default(), &Stop::default());
        let trial = Trial {
            file: "a\nb",
            tried: &tried,
            millis: 0.5,
        };
        let mut out = Vec::new();
        trial.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("a\\nb"), "{text}");
        assert!(text.contains("passes unchanged: it is short"), "{text}");
        let json = trial.json();
        assert!(json.starts_with(r#"{"file":"a\nb","before":"#), "{json}");
        assert!(
            json.ends_with(r#""kept":"it is short","ms":0.500}"#),
            "{json}"
        );
        assert_eq!((trial.row().changed, trial.is_faithful()), (0, true));
    }
}
