//! `linkspan new`: a folder of scripts to start from.

use std::path::PathBuf;

use clap::Args;
use linkspan_scripts::author::{Lang, scaffold};

use crate::args::named::explained;
use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder to create; it must be empty or missing
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Language of its first tool
    #[arg(long, default_value = "bash", value_parser = explained(&Lang::NAMED))]
    lang: Lang,
}

pub(crate) fn run(args: &NewArgs) -> Result<Exit, Failure> {
    scaffold::new_server(&args.dir, args.lang, |path| say!("{}", shown(path)))?;
    let dir = shown(&args.dir);
    say!(
        "\nNext:\n  linkspan validate {dir}\n  linkspan run-tool {dir} hello --args '{{\"name\":\"you\"}}'\n  linkspan config {dir}"
    );
    Ok(Exit::Ok)
}
