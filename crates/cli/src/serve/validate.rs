//! `linkspan validate`: what clients will see of a folder, and what is wrong with it.

pub(crate) mod fixing;
mod printing;

use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_scripts::folder::{Catalogue, FolderError, Problem, Severity};

use crate::exit::{Exit, Failure};
use crate::serve::args::Compat;
use crate::serve::reading::{Reading, catalogue, refused};

const HELP: &str = "\
Prints the tools, resources, prompts and completions that a client will be told about, each as it
will be told, and every problem with the file and line that it is in. Nothing is executed.

An error leaves an entry out of what clients see; a warning does not.

Examples:
  linkspan validate my-server
  linkspan validate my-server --fix
  linkspan validate my-server --json | linkspan jq '.tools[].name'
  linkspan validate . --strict && git commit

Exit codes: 0 fine, 1 there are errors (with --strict also warnings), 2 the command line
is wrong, or there is no folder.";

// `linkspan validate`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct ValidateArgs {
    /// The folder; the current one by default
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Fix what can be fixed safely, and report it
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Warnings count as errors
    #[arg(long)]
    strict: bool,
    /// Folder layout: linkspan's own or mcp-bash's
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "auto")]
    compat: Compat,
}

/// What came out.
pub(crate) struct Report {
    /// `None` if the folder cannot be served at all.
    pub(crate) catalogue: Option<Catalogue>,
    pub(crate) problems: Vec<Problem>,
    /// What was mended.
    pub(crate) fixed: Vec<String>,
}

impl Report {
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let all = self.problems.iter();
        all.filter(|problem| problem.severity == severity).count()
    }

    fn is_good(&self, strict: bool) -> bool {
        self.count(Severity::Error) == 0 && !(strict && self.count(Severity::Warning) > 0)
    }
}

pub(crate) fn run(args: &ValidateArgs) -> Result<Exit, Failure> {
    let how = Reading::plain(args.compat);
    let report = match args.fix {
        true => fixing::mend(|| look(&args.dir, &how)),
        false => look(&args.dir, &how),
    };
    let report = match report {
        // Who reads our JSON finds it there, too.
        Err(_) if args.json => match catalogue(&args.dir, &how) {
            Err(e) => nothing(whole(&e)),
            Ok(_) => look(&args.dir, &how)?,
        },
        other => other?,
    };
    let good = report.is_good(args.strict);
    match args.json {
        true => printing::json(&report, good),
        false => printing::text(&report, args.fix),
    }
    match good {
        true => Ok(Exit::Ok),
        false => Ok(Exit::Invalid),
    }
}

pub(crate) fn look(dir: &Path, how: &Reading) -> Result<Report, Failure> {
    match catalogue(dir, how) {
        Ok(mut catalogue) => Ok(Report {
            problems: std::mem::take(&mut catalogue.problems),
            catalogue: Some(catalogue),
            fixed: Vec::new(),
        }),
        // There is nothing to say about a folder that is not there.
        Err(e @ (FolderError::NotAFolder { .. } | FolderError::Unreadable { .. })) => {
            Err(refused(&e))
        }
        Err(e) => Ok(nothing(whole(&e))),
    }
}

/// A problem of the folder as a whole.
fn whole(error: &FolderError) -> Problem {
    let (hint, fix) = (error.hint(), error.fix());
    match error {
        FolderError::ServerFile(problem) => Problem {
            hint,
            ..Problem::clone(problem)
        },
        _ => Problem {
            severity: Severity::Error,
            path: PathBuf::from("."),
            line: None,
            text: error.to_string(),
            hint,
            fix,
        },
    }
}

fn nothing(problem: Problem) -> Report {
    Report {
        catalogue: None,
        problems: vec![problem],
        fixed: Vec::new(),
    }
}
