//! `linkspan shrink stats`: what was saved so far.

use std::io;

use anstyle::Style;
use linkspan_shrink_layer::stats::{self, Row};

use super::args::StatsArgs;
use crate::environment::stats_file;
use crate::exit::{Exit, Failure};
use crate::show::{on_one_line, path as shown, say};

const NAME: Style = Style::new().bold();

pub(super) fn run(args: &StatsArgs) -> Result<Exit, Failure> {
    let Some(file) = args.stats_file.clone().or_else(stats_file) else {
        return Err(Failure::usage("the default file for statistics is unknown")
            .hint("say where they are with --stats-file"));
    };
    let failed = |e: io::Error| Failure::new(Exit::Invalid, format!("{}: {e}", shown(&file)));
    if args.reset {
        stats::reset(&file).map_err(failed)?;
        return Ok(Exit::Ok);
    }
    let rows = stats::read(&file).map_err(failed)?;
    if args.json {
        for (key, row) in &rows {
            say!("{}", stats::json(key, row));
        }
        return Ok(Exit::Ok);
    }
    if rows.is_empty() {
        anstream::eprintln!(
            "nothing was measured yet; `linkspan shrink --shadow TARGET` measures and changes nothing"
        );
        return Ok(Exit::Ok);
    }
    for server in stats::by_server(&rows) {
        let measured = if server.shadow {
            " (only measured)"
        } else {
            ""
        };
        say!("{NAME}{}{NAME:#}{measured}", on_one_line(server.server));
        for (key, row) in server.rows {
            line(&format!("{} {}", key.tool, key.kinds), row);
        }
        line("in all", &server.total);
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

/// How much was saved.
pub(super) fn percent(before: u64, after: u64) -> String {
    let saved = before.saturating_sub(after) as f64;
    format!("{:.1} %", saved * 100.0 / before.max(1) as f64)
}
