//! `linkspan shrink try`: a text before and after.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anstyle::Style;
use linkspan_shrink::{Stop, try_text};
use linkspan_shrink_layer::stats::{Row, percent};
use linkspan_shrink_layer::{Trial, read_text};

use super::args::TryArgs;
use crate::exit::{Exit, Failure};
use crate::show::{self, clean, note, say};
use crate::waiting;

const NAME: Style = Style::new().bold();

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
        let text = read_text(file, waiting::stdin("a text", "linkspan shrink try FILE"))?;
        let begin = Instant::now();
        let tried = try_text(&text, &policy, &Stop::default());
        let trial = Trial {
            file: &file.to_string_lossy(),
            tried: &tried,
            millis: begin.elapsed().as_secs_f64() * 1000.0,
        };
        faithful &= trial.is_faithful();
        sum.add(&trial.row());
        if args.text {
            let new = tried.worked.text.as_deref().unwrap_or(&text);
            note(io::stdout().write_all(new.as_bytes()));
        } else if args.json {
            say!("{}", trial.json());
        } else {
            show::print(|out| trial.write(out));
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
