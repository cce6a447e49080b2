//! `linkspan shrink stats`: prints the savings so far.

use std::io;

use linkspan_shrink_layer::stats;

use super::args::StatsArgs;
use crate::environment::stats_file;
use crate::exit::{Exit, Failure};
use crate::show::{self, path as shown, say};

pub(super) fn run(args: &StatsArgs) -> Result<Exit, Failure> {
    let Some(file) = args.stats_file.clone().or_else(stats_file) else {
        return Err(Failure::usage("the default file for statistics is unknown")
            .hint("give their file with --stats-file"));
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
    show::print(|out| stats::write(&rows, out));
    Ok(Exit::Ok)
}
