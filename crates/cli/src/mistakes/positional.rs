//! The positional words of a command line: neither flags nor values of flags.

use clap::{Arg, Command, CommandFactory};

use crate::cli::Cli;

/// The positional words of a command line that could not be parsed.
pub(super) struct Typed {
    /// The name of the command.
    pub(super) command: String,
    /// The indices of the other words that are neither flags nor their values.
    pub(super) positional: Vec<usize>,
}

/// `None` if there is no command, or if there is a `--` already.
pub(super) fn typed(words: &[String]) -> Option<Typed> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let mut cli = Cli::command();
    cli.build();
    let at = plain(&cli, words, 0).into_iter().next()?;
    let command = cli.find_subcommand(&words[at])?;
    Some(Typed {
        command: command.get_name().to_owned(),
        positional: plain(command, words, at + 1),
    })
}

fn plain(command: &Command, words: &[String], from: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = from;
    while at < words.len() {
        match words[at].strip_prefix('-') {
            None | Some("") => found.push(at),
            Some(flag) if has_value_behind(command, flag) => at += 1,
            Some(_) => {}
        }
        at += 1;
    }
    found
}

/// Whether the next word is the value of this flag, which is given without its first dash. Unknown flags have no value.
fn has_value_behind(command: &Command, flag: &str) -> bool {
    let takes = |arg: &Arg| arg.get_action().takes_values();
    if let Some(long) = flag.strip_prefix('-') {
        let is_it = |arg: &&Arg| {
            arg.get_long() == Some(long)
                || arg.get_all_aliases().is_some_and(|all| all.contains(&long))
        };
        return command.get_arguments().find(is_it).is_some_and(takes);
    }
    // `-vH VALUE`: the first letter that takes a value takes the rest of the word.
    let mut letters = flag.chars();
    while let Some(letter) = letters.next() {
        let is_it = |arg: &&Arg| arg.get_short() == Some(letter);
        if command.get_arguments().find(is_it).is_some_and(takes) {
            return letters.as_str().is_empty();
        }
    }
    false
}
