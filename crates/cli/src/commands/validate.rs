//! `linkspan validate`: what clients will see of a folder, and its problems.

use std::path::PathBuf;

use clap::Args;
use linkspan_client::render;
use linkspan_mcp_bash::{FolderLayout, catalogue};
use linkspan_scripts::author::{Entries, Report};

use crate::args::named::explained;
use crate::exit::{Exit, Failure};
use crate::folder::{look, reading, repair};
use crate::show::{self, raw};

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
    #[arg(long, value_name = "LAYOUT", default_value = "auto", value_parser = explained(&FolderLayout::NAMED))]
    compat: FolderLayout,
}

/// As `linkspan tools`, `resources` and `prompts` print them.
const ENTRIES: Entries = Entries {
    tool: render::tool,
    resource: render::resource,
    prompt: render::prompt,
};

pub(crate) fn run(args: &ValidateArgs) -> Result<Exit, Failure> {
    let how = reading();
    let look = || look(&args.dir, &how, args.compat);
    let report = if args.fix { repair(look) } else { look() };
    let report = match report {
        // In JSON a folder that cannot be read is a problem like others.
        Err(_) if args.json => match catalogue(&args.dir, &how, args.compat) {
            Err(e) => Report::from(&e),
            Ok(catalogue) => Report::from(catalogue),
        },
        other => other?,
    };
    let good = report.is_good(args.strict);
    if args.json {
        raw(&report.to_json(good).to_string());
    } else {
        show::print(|out| report.write(out, &ENTRIES, args.fix));
    }
    Ok(if good { Exit::Ok } else { Exit::Invalid })
}
