//! `linkspan call hello --name Ada`: an argument of a tool with dashes, as other programs take it.

use clap::error::ContextKind;
use linkspan_bridge::shown_line;

use super::positional;
use crate::exit::Failure;
use crate::show::on_one_line;

/// The correct form of the argument; `None` if clap knows a flag with a similar name.
pub(super) fn explain(error: &clap::Error, unknown: &str, words: &[String]) -> Option<Failure> {
    let ours = words.split(|word| word == "--").next()?;
    let command = positional::typed(ours)?.command;
    let takes_arguments = matches!(&*command, "call" | "prompt");
    if !takes_arguments || error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    let flag = unknown.split('=').next()?;
    let name = flag.strip_prefix("--").filter(|name| !name.is_empty())?;
    let is_it = |word: &String| word.split('=').next() == Some(flag);
    let at = ours.iter().position(is_it)?;
    let value = match ours[at].split_once('=') {
        Some((_, value)) => value,
        None => ours
            .get(at + 1)
            .filter(|next| !next.starts_with('-'))
            .map_or("VALUE", String::as_str),
    };
    let what = if command == "call" { "tool" } else { "prompt" };
    let right = format!("{name}={value}");
    Some(
        Failure::usage(format!(
            "`{}` is not an option of `linkspan {command}`",
            on_one_line(flag)
        ))
        .hint(format!(
            "an argument of the {what} has no dashes: {}",
            shown_line([&*right])
        )),
    )
}
