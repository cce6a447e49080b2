//! Command lines that cannot be read, and what was probably meant.
//!
//! clap says which word it does not take. For the usual slips (a command without `--` before it, a
//! negative number) the right line helps more.

mod no_command;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Failure;
use crate::show::{command_line, on_one_line};
use crate::target;

/// Commands that take a target, and how many words come before it.
const WITH_TARGET: [(&str, usize); 10] = [
    ("tools", 0),
    ("resources", 0),
    ("prompts", 0),
    ("ping", 0),
    ("connect", 0),
    ("expose", 0),
    ("shrink", 0),
    ("call", 1),
    ("read", 1),
    ("prompt", 1),
];

/// What was meant, if that can be told. `words` are the arguments without the program's name.
pub(crate) fn explain(error: &clap::Error, words: &[String]) -> Option<Failure> {
    if let Some(failure) = no_command::explain(error, words) {
        return Some(failure);
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let unknown = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(word) => word,
        _ => return None,
    };
    negative(unknown, words).or_else(|| without_dashes(words))
}

/// `--timeout -1`
fn negative(unknown: &str, words: &[String]) -> Option<Failure> {
    let digits = unknown.strip_prefix('-')?;
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // clap names `-1` of `-12`.
    let at = words.iter().position(|word| word.starts_with(unknown))?;
    let flag = words[..at].last().filter(|flag| flag.starts_with('-'))?;
    Some(
        Failure::usage(format!(
            "`{} {}`: the value cannot be negative",
            on_one_line(flag),
            on_one_line(&words[at])
        ))
        .hint("--help tells what it takes"),
    )
}

/// `tools npx -y server`
fn without_dashes(words: &[String]) -> Option<Failure> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let verb = words
        .iter()
        .position(|word| WITH_TARGET.iter().any(|(verb, _)| word == verb))?;
    let before = WITH_TARGET.iter().find(|(name, _)| words[verb] == *name)?.1;
    let mut plain = words
        .iter()
        .enumerate()
        .skip(verb + 1)
        .filter(|(_, word)| !word.starts_with('-'))
        .skip(before);
    let (at, program) = plain.find(|(_, word)| target::is_program(word))?;
    let right = ["linkspan"]
        .into_iter()
        .chain(words[..at].iter().map(String::as_str))
        .chain(["--"])
        .chain(words[at..].iter().map(String::as_str));
    Some(
        Failure::usage(format!(
            "`{}` is a command, and a command goes after `--`",
            on_one_line(program)
        ))
        .hint(command_line(right.map(Into::into))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    fn told(words: &[&str]) -> Option<String> {
        let error = Cli::try_parse_from([&["linkspan"], words].concat()).unwrap_err();
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        explain(&error, &words).map(|failure| failure.in_words())
    }

    #[test]
    fn a_command_without_dashes_gets_the_line_with_them() {
        assert_eq!(
            told(&["tools", "npx", "-y", "my server"]).unwrap(),
            "`npx` is a command, and a command goes after `--`; linkspan tools -- npx -y 'my server'"
        );
        assert_eq!(
            told(&["call", "echo", "a=1", "npx", "-y", "x"]).unwrap(),
            "`npx` is a command, and a command goes after `--`; linkspan call echo a=1 -- npx -y x"
        );
        assert_eq!(
            told(&["connect", "--timeout", "5", "uvx", "--from", "x"]).unwrap(),
            "`uvx` is a command, and a command goes after `--`; linkspan connect --timeout 5 -- uvx --from x"
        );
    }

    #[test]
    fn a_negative_number_is_named_with_its_flag() {
        for words in [
            ["tools", "--timeout", "-1", "x"],
            ["call", "--retries", "-12", "x"],
        ] {
            let told = told(&words).unwrap();
            assert!(
                told.starts_with(&format!("`{} {}`: ", words[1], words[2])),
                "{told}"
            );
        }
    }

    #[test]
    fn what_is_not_understood_is_left_to_clap() {
        assert_eq!(told(&["tools", "--tineout", "1", "x"]), None);
        assert_eq!(told(&["tools", "https://x/mcp", "extra"]), None);
        assert_eq!(told(&["tool"]), None);
        assert_eq!(told(&["--help"]), None);
    }
}
