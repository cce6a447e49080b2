//! `linkspan scaffold`: files for a new tool, prompt, resource or completion.

use std::path::PathBuf;

use clap::Args;
use linkspan_scripts::author::Lang;
use linkspan_scripts::author::scaffold::{self, Kind};

use crate::args::named::{explained, named};
use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

const HELP: &str = "\
Writes files to begin with, and never over a file that is there. NAME is letters, digits, _ and -; a
completion is called PROMPT.ARGUMENT after what it completes.

  tool        tools/NAME/ with the tool, its metadata and a README
  prompt      prompts/NAME.md, a text with {{arguments}}; with --lang a program
  resource    resources/NAME.md and its metadata; with --lang a program
  completion  completions/PROMPT.ARGUMENT.sh, a program

Examples:
  linkspan scaffold tool weather my-server
  linkspan scaffold tool forecast my-server --lang python
  linkspan scaffold prompt explain my-server
  linkspan scaffold completion explain.language my-server --lang node";

#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct ScaffoldArgs {
    /// What to add
    #[arg(value_parser = named(&Kind::NAMED))]
    kind: Kind,
    /// Its name
    name: String,
    /// The folder; the current one by default
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Language to write it in
    #[arg(long, value_parser = explained(&Lang::NAMED))]
    lang: Option<Lang>,
}

pub(crate) fn run(args: &ScaffoldArgs) -> Result<Exit, Failure> {
    let (kind, name) = (args.kind, &args.name);
    scaffold::add(&args.dir, kind, name, args.lang, |path| {
        say!("{}", shown(path));
    })?;
    let folder = shown(&args.dir);
    say!("\nNext:\n  linkspan validate {folder}");
    if kind == Kind::Tool {
        say!("  linkspan run-tool {folder} {name} --args '{{\"name\":\"you\"}}'");
    }
    Ok(Exit::Ok)
}
