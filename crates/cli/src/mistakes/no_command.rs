//! `linkspan URL`: other bridges are called like this, and here a command is missing.

use clap::error::{ContextKind, ErrorKind};

use crate::exit::Failure;

/// The message in place of clap's; `None` where clap's is right. `args` are those of the command line, without the name
/// of the program.
pub(crate) fn explain(error: &clap::Error, args: &[String]) -> Option<Failure> {
    let is_start = matches!(
        error.kind(),
        ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument
    );
    let url = args.iter().find(|arg| is_url(arg)).filter(|_| is_start)?;
    let before = args.iter().take_while(|arg| *arg != url);
    if before.into_iter().any(|arg| !arg.starts_with('-')) {
        // A command or the value of a flag precedes the URL, so the mistake is another one.
        return None;
    }
    if error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::InvalidArg).is_none() {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:%+=,[]".contains(c);
    // The query and the user information of a URL may be secret, and a log may keep what is printed here.
    let line = if args.iter().all(|arg| arg.chars().all(plain)) {
        args.join(" ")
    } else {
        "URL".to_owned()
    };
    let failure = Failure::usage("a command is missing before the URL");
    Some(failure.hint(format!("linkspan connect {line}")))
}

fn is_url(arg: &str) -> bool {
    arg.starts_with("http://") || arg.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn said(line: &str) -> Option<String> {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let all = std::iter::once("linkspan".to_owned()).chain(args.clone());
        let error = Cli::try_parse_from(all).unwrap_err();
        explain(&error, &args).map(|failure| failure.in_words())
    }

    #[test]
    fn a_url_without_a_command_gets_the_correct_line() {
        for flags in ["", "--debug ", "-v ", "--transport=sse "] {
            let said = said(&format!("{flags}http://localhost:37373/mcp")).unwrap();
            let line = format!("linkspan connect {flags}http://localhost:37373/mcp");
            assert!(said.ends_with(&line), "{said}");
        }
        assert!(
            said("https://me:secret@host/mcp?key=secret")
                .unwrap()
                .ends_with("connect URL")
        );
    }

    #[test]
    fn other_mistakes_are_clap_s_to_explain() {
        for line in [
            "nope",
            "tools --nope http://localhost/",
            "nope http://localhost/",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
