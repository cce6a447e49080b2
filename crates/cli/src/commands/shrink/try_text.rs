//! `linkspan shrink try`: a text before and after.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use linkspan_shrink::{Kept, Stop, Tried, try_text};
use linkspan_shrink_layer::stats::Row;
use linkspan_wire::quote;

use super::args::TryArgs;
use super::input::read;
use super::stats::percent;
use crate::exit::{Exit, Failure};
use crate::show::{clean, note, path as shown, say};

const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

pub(super) fn run(args: &TryArgs) -> Result<Exit, Failure> {
    let policy = args.form.policy()?;
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files[..]
    };
    let mut sum = Row::default();
    let mut faithful = true;
    for file in files {
        let text = read(file, "linkspan shrink try FILE")?;
        let begin = Instant::now();
        let tried = try_text(&text, &policy, &Stop::default());
        let took = begin.elapsed().as_secs_f64() * 1000.0;
        faithful &= tried.worked.kept != Some(Kept::Unfaithful);
        sum.add(&Row {
            calls: 1,
            changed: u64::from(tried.worked.text.is_some()),
            before: tried.worked.before,
            after: tried.worked.after,
            micros: 0,
        });
        if args.text {
            let new = tried.worked.text.as_deref().unwrap_or(&text);
            note(io::stdout().write_all(new.as_bytes()));
        } else if args.json {
            say!("{}", figures(file, &tried, took));
        } else {
            summary(file, &tried, took);
            // A text that passes unchanged is not printed again.
            if let (1, Some(new)) = (files.len(), tried.worked.text.as_deref()) {
                // The text may have control sequences.
                note(writeln!(anstream::stdout(), "\n{}", clean(new)));
            }
        }
    }
    if files.len() > 1 && !args.text && !args.json {
        say!(
            "{NAME}{} texts, {} shorter{NAME:#}: {} → {} tokens, {} saved",
            sum.calls,
            sum.changed,
            sum.before,
            sum.after,
            percent(sum.before, sum.after)
        );
    }
    if faithful {
        return Ok(Exit::Ok);
    }
    Err(Failure::new(
        Exit::Invalid,
        "a shortened text did not decode to its original; the original would have been passed on",
    )
    .hint("this is a bug in linkspan: please report it with that text"))
}

fn summary(file: &Path, tried: &Tried, took: f64) {
    say!("{NAME}{}{NAME:#}", shown(file));
    for region in &tried.regions {
        say!(
            "  {DIM}lines {}-{}: {} ({:.2}){DIM:#}",
            region.first_line,
            region.last_line,
            region.kind,
            region.confidence
        );
    }
    match (&tried.worked.text, tried.worked.kept) {
        (Some(_), _) => {
            let (mark, colour) = if tried.worked.lossless {
                ("lossless ✓", GOOD)
            } else {
                ("not lossless: marked in the text", BAD)
            };
            say!(
                "  {} → {} tokens, {} saved, {colour}{mark}{colour:#} {DIM}({took:.1} ms){DIM:#}",
                tried.worked.before,
                tried.worked.after,
                percent(tried.worked.before, tried.worked.after)
            );
        }
        (None, kept) => say!(
            "  {} tokens, passes as it is: {}",
            tried.worked.before,
            kept.map_or("nothing to do", reason)
        ),
    }
}

fn reason(kept: Kept) -> &'static str {
    match kept {
        Kept::Short => "it is short",
        Kept::Unknown => "nothing in it has a shorter form",
        Kept::NotWorthIt => "the shorter form would not save enough",
        Kept::Unfaithful => "the shorter form did not decode to the original",
        Kept::Stopped => "there was no time",
    }
}

fn figures(file: &Path, tried: &Tried, took: f64) -> String {
    let kinds: Vec<String> = tried
        .worked
        .kinds
        .iter()
        .map(|kind| quote(kind.name()))
        .collect();
    let kept = tried
        .worked
        .kept
        .map_or("null".to_owned(), |kept| quote(reason(kept)));
    format!(
        r#"{{"file":{},"before":{},"after":{},"changed":{},"lossless":{},"kinds":[{}],"kept":{kept},"ms":{took:.3}}}"#,
        quote(&file.display().to_string()),
        tried.worked.before,
        tried.worked.after,
        tried.worked.text.is_some(),
        tried.worked.lossless,
        kinds.join(",")
    )
}
