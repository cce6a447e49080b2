//! Command lines that cannot be parsed, and what was probably meant.
//!
//! clap names the word that it does not accept. For common mistakes (a command without `--` before it, a negative
//! number) the correct line is more helpful.

mod positional;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use linkspan_bridge::{LineMistake, Target, is_argument, is_program};
use linkspan_shrink_layer::NoServer;

use crate::environment::search_path;
use crate::exit::Failure;
use crate::target;

/// Commands that take a target, and how many words precede it.
const WITH_TARGET: [(&str, usize); 12] = [
    ("agent", 0),
    ("config", 0),
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

/// The probable meaning, if there is one. `words` are the arguments without the program's name.
pub(crate) fn explain(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && unknown.is_some();
    if is_unknown || error.kind() == ErrorKind::InvalidSubcommand {
        let no_command = LineMistake::no_command(words);
        if no_command.is_some() {
            return no_command.map(Failure::from);
        }
    }
    let unknown = unknown.filter(|_| is_unknown)?;
    let negative = LineMistake::negative(unknown, words).map(Failure::from);
    negative
        .or_else(|| without_dashes(words))
        .or_else(|| with_dashes(error, unknown, words))
}

/// `call hello --name Ada`, unless clap knows a flag with a similar name.
fn with_dashes(error: &clap::Error, unknown: &str, words: &[String]) -> Option<Failure> {
    let ours = words.split(|word| word == "--").next()?;
    let command = positional::typed(ours)?.command;
    let takes_arguments = matches!(&*command, "call" | "prompt");
    if !takes_arguments || error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    LineMistake::dashed_argument(&command, unknown, words).map(Failure::from)
}

/// `tools npx -y server`
fn without_dashes(words: &[String]) -> Option<Failure> {
    let typed = positional::typed(words)?;
    if typed.command == "shrink"
        && let Some(at) = typed.positional.first()
        && let Some(misspelt) = NoServer::misspelt(&words[*at])
    {
        return Some(misspelt.into());
    }
    let before = WITH_TARGET
        .iter()
        .find(|(name, _)| typed.command == *name)?
        .1;
    let mut places = typed.positional.into_iter().skip(before);
    let at = match before {
        0 => places.next()?,
        _ => places.find(|at| !is_argument(&words[*at]))?,
    };
    let is_command = !Target::is_named_by(&words[at]) && is_program(&words[at], &search_path());
    is_command.then(|| target::command_without_dashes(words, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
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
    fn commands_that_configure_or_serve_an_agent_need_the_dashes_too() {
        assert_eq!(
            told(&["config", "npx", "-y", "foo"]).unwrap(),
            "`npx` is a command, and a command goes after `--`; linkspan config -- npx -y foo"
        );
        assert_eq!(
            told(&["agent", "--drain", "2", "python3", "x"]).unwrap(),
            "`python3` is a command, and a command goes after `--`; linkspan agent --drain 2 -- python3 x"
        );
    }

    #[test]
    fn the_right_line_has_no_secrets() {
        let line = ["tools", "-H", "Authorization: Bearer abc", "npx", "-y", "x"];
        assert_eq!(
            told(&line).unwrap(),
            "`npx` is a command, and a command goes after `--`; linkspan tools -H 'Authorization: ***' -- npx -y x"
        );
    }

    #[test]
    fn dashes_before_an_argument_of_a_tool_get_the_argument_without_them() {
        for line in [
            &["call", "hello", "--name", "Ada", "https://x/mcp"][..],
            &["call", "hello", "--name=Ada", "https://x/mcp"],
            &["call", "hello", "--name", "Ada", "--", "./server"],
        ] {
            assert_eq!(
                told(line).unwrap(),
                "`--name` is not an option of `linkspan call`; an argument of the tool has no dashes: name=Ada",
                "{line:?}"
            );
        }
        assert!(
            told(&["prompt", "hello", "--password", "abc", "https://x/mcp"])
                .unwrap()
                .ends_with("'password=***'")
        );
    }

    #[test]
    fn only_a_word_in_place_of_the_target_is_taken_for_a_command() {
        // The value of a flag, a word after the target, an argument of a tool.
        for words in [
            &[
                "tools",
                "--bearer-env",
                "env",
                "https://x.invalid/mcp",
                "--jsn",
            ][..],
            &["--log-file", "npx", "tools", "--jsn"],
            &["tools", ".", "python3"],
            &["tools", "https://x/mcp", "npx", "-y"],
            &["call", "python3", "https://x/mcp", "--jsn"],
            &["shrink", "--json-x", "https://x/mcp"],
        ] {
            assert_eq!(told(words), None, "{words:?}");
        }
    }

    #[test]
    fn a_misspelt_command_of_shrink_is_recognised() {
        let told = told(&["shrink", "tri", "result.json"]).unwrap();
        assert!(
            told.starts_with("`linkspan shrink` has no command `tri`; did you mean `try`?"),
            "{told}"
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
    fn a_url_without_a_command_gets_the_correct_line() {
        for words in [&["http://x/mcp"][..], &["--debug", "http://x/mcp"]] {
            let told = told(words).unwrap();
            let line = format!("linkspan connect {}", words.join(" "));
            assert!(told.ends_with(&line), "{told}");
        }
    }

    #[test]
    fn unknown_mistakes_are_left_to_clap() {
        assert_eq!(told(&["tools", "--nope", "http://localhost/"]), None);
        assert_eq!(told(&["nope", "http://localhost/"]), None);
        assert_eq!(told(&["tools", "--tineout", "1", "x"]), None);
        assert_eq!(told(&["tools", "https://x/mcp", "extra"]), None);
        assert_eq!(told(&["tool"]), None);
        assert_eq!(told(&["--help"]), None);
    }
}
