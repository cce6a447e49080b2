//! `shrink try`, `shrink decode` and `shrink stats`: seeing for oneself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use linkspan_shrink::{Kept, Stop, Tried, decode as take_back, try_text};
use linkspan_wire::quote;

use super::args::{DecodeArgs, StatsArgs, TryArgs};
use super::ledger::{self, Row};
use crate::exit::{Exit, Failure};
use crate::show::{clean, note, on_one_line, path as shown, say};
use crate::waiting;

/// The largest text that is looked at.
const MOST: u64 = 256 << 20;
const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// `linkspan shrink try`
pub(crate) fn try_out(args: &TryArgs) -> Result<Exit, Failure> {
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
            // What passes unchanged is known already.
            if let (1, Some(new)) = (files.len(), tried.worked.text.as_deref()) {
                // A terminal must not obey what a text says.
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
    match faithful {
        true => Ok(Exit::Ok),
        false => Err(Failure::new(
            Exit::Invalid,
            "a shortened text did not decode to its original; the original would have been passed on",
        )
        .hint("this is a bug in linkspan: please report it with that text")),
    }
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
            let (mark, colour) = match tried.worked.lossless {
                true => ("lossless ✓", GOOD),
                false => ("not lossless: marked in the text", BAD),
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

/// `linkspan shrink decode`
pub(crate) fn decode(args: &DecodeArgs) -> Result<Exit, Failure> {
    let file = args.file.clone().unwrap_or_else(|| "-".into());
    let text = read(&file, "linkspan shrink decode FILE")?;
    let original = take_back(&text).map_err(|why| {
        Failure::new(Exit::Invalid, format!("{} cannot be decoded: {why}", shown(&file)))
            .hint("this text was not made by `linkspan shrink`, or was edited; `bcp_fetch` may still have the original")
    })?;
    note(io::stdout().write_all(original.as_bytes()));
    Ok(Exit::Ok)
}

/// `linkspan shrink stats`
pub(crate) fn stats(args: &StatsArgs) -> Result<Exit, Failure> {
    let Some(file) = args.stats_file.clone().or_else(ledger::usual_file) else {
        return Err(Failure::usage("the default file for statistics is unknown")
            .hint("say where they are with --stats-file"));
    };
    let failed = |e: io::Error| Failure::new(Exit::Invalid, format!("{}: {e}", shown(&file)));
    if args.reset {
        return match std::fs::remove_file(&file) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
            _ => Ok(Exit::Ok),
        };
    }
    let rows = ledger::read(&file).map_err(failed)?;
    if args.json {
        for (key, row) in &rows {
            say!("{}", ledger::json(key, row));
        }
        return Ok(Exit::Ok);
    }
    if rows.is_empty() {
        anstream::eprintln!(
            "nothing was measured yet; `linkspan shrink --shadow TARGET` measures and changes nothing"
        );
        return Ok(Exit::Ok);
    }
    let mut servers: BTreeMap<(bool, &str), Vec<(&ledger::Key, &Row)>> = BTreeMap::new();
    for (key, row) in &rows {
        servers
            .entry((key.shadow, &key.server))
            .or_default()
            .push((key, row));
    }
    for ((shadow, server), mut rows) in servers {
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.before.saturating_sub(row.after)));
        let measured = if shadow { " (only measured)" } else { "" };
        say!("{NAME}{}{NAME:#}{measured}", on_one_line(server));
        let mut all = Row::default();
        for (key, row) in rows {
            line(&format!("{} {}", key.tool, key.kinds), row);
            all.add(row);
        }
        line("in all", &all);
    }
    Ok(Exit::Ok)
}

fn line(what: &str, row: &Row) {
    let each = row.micros as f64 / 1000.0 / row.calls.max(1) as f64;
    say!(
        "  {:<40} {:>6} texts  {:>9} → {:>9} tokens  {:>6}  {each:>6.2} ms",
        on_one_line(what),
        row.calls,
        row.before,
        row.after,
        percent(row.before, row.after)
    );
}

fn percent(before: u64, after: u64) -> String {
    let saved = before.saturating_sub(after) as f64;
    format!("{:.1} %", saved * 100.0 / before.max(1) as f64)
}

/// A text; `-` is stdin, and `usual` how one gives a file instead.
fn read(file: &Path, usual: &'static str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let failed =
        |e: io::Error| Failure::new(Exit::Invalid, format!("cannot read {}: {e}", shown(file)));
    let read = match file == Path::new("-") {
        true => waiting::stdin("a text", usual)
            .take(MOST + 1)
            .read_to_end(&mut bytes),
        false => File::open(file)
            .map_err(failed)?
            .take(MOST + 1)
            .read_to_end(&mut bytes),
    };
    read.map_err(failed)?;
    if bytes.len() as u64 > MOST {
        return Err(
            Failure::new(Exit::Invalid, format!("{} is too large", shown(file)))
                .hint("256 MiB is the most"),
        );
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Exit::Invalid, format!("{} is not UTF-8", shown(file)))
            .hint("results of tools are always UTF-8")
    })
}
