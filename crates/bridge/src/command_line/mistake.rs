//! Common mistakes in command lines, with the line that was probably meant.

use linkspan_wire::escape_line;

use super::shown_line;

/// A mistake in a command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineMistake {
    /// A URL in place of the command: other bridges are called like this.
    #[error("a command is missing before the URL")]
    NoCommand {
        /// The words of the line.
        line: String,
    },
    /// `--timeout -1`
    #[error(
        "`{} {}`: the value cannot be negative",
        escape_line(flag),
        escape_line(value)
    )]
    Negative {
        /// The flag.
        flag: String,
        /// Its value.
        value: String,
    },
    /// An argument of a tool with dashes, as other programs take it.
    #[error("`{}` is not an option of `linkspan {command}`", escape_line(flag))]
    DashedArgument {
        /// The command: `call` or `prompt`.
        command: String,
        /// The word before its `=`.
        flag: String,
        /// The argument without dashes.
        argument: String,
    },
}

impl LineMistake {
    /// A URL as the first word that is not a flag.
    pub fn no_command(words: &[String]) -> Option<Self> {
        let is_url = |word: &&String| word.starts_with("http://") || word.starts_with("https://");
        let first = words.iter().find(|word| !word.starts_with('-'))?;
        // Before another word, a URL may be the value of a flag or of a command.
        is_url(&first).then(|| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:%+=,[]".contains(c);
            // The query and the user information of a URL may be secret, and a log may keep what is printed.
            let line = if words.iter().all(|word| word.chars().all(plain)) {
                words.join(" ")
            } else {
                "URL".to_owned()
            };
            Self::NoCommand { line }
        })
    }

    /// `unknown` is the beginning of a word that looks like a flag, as `-1` of `-12`.
    pub fn negative(unknown: &str, words: &[String]) -> Option<Self> {
        let digits = unknown.strip_prefix('-')?;
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let at = words.iter().position(|word| word.starts_with(unknown))?;
        let flag = words[..at].last().filter(|flag| flag.starts_with('-'))?;
        Some(Self::Negative {
            flag: flag.clone(),
            value: words[at].clone(),
        })
    }

    /// `unknown` is a flag that `command` does not have.
    pub fn dashed_argument(command: &str, unknown: &str, words: &[String]) -> Option<Self> {
        let flag = unknown.split('=').next()?;
        let name = flag.strip_prefix("--").filter(|name| !name.is_empty())?;
        let is_it = |word: &String| word.split('=').next() == Some(flag);
        let ours = words.split(|word| word == "--").next()?;
        let at = ours.iter().position(is_it)?;
        let value = match ours[at].split_once('=') {
            Some((_, value)) => value,
            None => ours
                .get(at + 1)
                .filter(|next| !next.starts_with('-'))
                .map_or("VALUE", String::as_str),
        };
        Some(Self::DashedArgument {
            command: command.to_owned(),
            flag: flag.to_owned(),
            argument: format!("{name}={value}"),
        })
    }

    /// What to type instead.
    pub fn hint(&self) -> String {
        match self {
            Self::NoCommand { line } => format!("linkspan connect {line}"),
            Self::Negative { .. } => "--help lists its values".to_owned(),
            Self::DashedArgument {
                command, argument, ..
            } => {
                let what = if command == "call" { "tool" } else { "prompt" };
                let right = shown_line([&**argument]);
                format!("an argument of the {what} has no dashes: {right}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_url_in_place_of_a_command_gets_the_correct_line() {
        let hint = |line: &str| LineMistake::no_command(&words(line)).map(|mistake| mistake.hint());
        for flags in ["", "--debug ", "-v ", "--transport=sse "] {
            let line = format!("{flags}http://localhost:37373/mcp");
            let right = format!("linkspan connect {line}");
            assert_eq!(hint(&line), Some(right));
        }
        let secret = hint("https://me:secret@host/mcp?key=secret");
        assert_eq!(secret.as_deref(), Some("linkspan connect URL"));
        assert_eq!(hint("nope http://localhost/"), None);
        assert_eq!(hint("nope"), None);
    }

    #[test]
    fn a_negative_number_is_named_with_its_flag() {
        let line = words("call --retries -12 x");
        let mistake = LineMistake::negative("-1", &line).unwrap();
        assert_eq!(
            mistake.to_string(),
            "`--retries -12`: the value cannot be negative"
        );
        assert_eq!(LineMistake::negative("-x", &words("call -x")), None);
    }

    #[test]
    fn dashes_before_an_argument_of_a_tool_get_the_argument_without_them() {
        for line in [
            "call hello --name Ada https://x/mcp",
            "call hello --name=Ada https://x/mcp",
            "call hello --name Ada -- ./server",
        ] {
            let line = words(line);
            let mistake = LineMistake::dashed_argument("call", "--name", &line).unwrap();
            let right = "an argument of the tool has no dashes: name=Ada";
            assert_eq!(mistake.hint(), right);
        }
        let line = words("prompt hello --password abc https://x/mcp");
        let mistake = LineMistake::dashed_argument("prompt", "--password", &line).unwrap();
        assert!(mistake.hint().ends_with("'password=***'"));
    }
}
