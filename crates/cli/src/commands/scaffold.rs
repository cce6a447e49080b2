//! `linkspan scaffold`: files for a new tool, prompt, resource or completion.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linkspan_scripts::author::Lang;
use linkspan_scripts::author::scaffold::{self, Kind};

use crate::args::lang::LangArg;
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
    #[arg(value_enum)]
    kind: KindArg,
    /// Its name
    name: String,
    /// The folder; the current one by default
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Language to write it in
    #[arg(long, value_enum)]
    lang: Option<LangArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindArg {
    Tool,
    Prompt,
    Resource,
    Completion,
}

impl From<KindArg> for Kind {
    fn from(arg: KindArg) -> Self {
        match arg {
            KindArg::Tool => Self::Tool,
            KindArg::Prompt => Self::Prompt,
            KindArg::Resource => Self::Resource,
            KindArg::Completion => Self::Completion,
        }
    }
}

pub(crate) fn run(args: &ScaffoldArgs) -> Result<Exit, Failure> {
    let (kind, name) = (args.kind.into(), &args.name);
    scaffold::add(&args.dir, kind, name, args.lang.map(Lang::from), |path| {
        say!("{}", shown(path));
    })?;
    let folder = shown(&args.dir);
    say!("\nNext:\n  linkspan validate {folder}");
    if kind == Kind::Tool {
        say!("  linkspan run-tool {folder} {name} --args '{{\"name\":\"you\"}}'");
    }
    Ok(Exit::Ok)
}
