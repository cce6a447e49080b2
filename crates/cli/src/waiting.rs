//! What a person at a terminal is told while a command waits for input.

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use crate::exit;
use crate::show::shown_line;
use crate::show::{clean, path as shown};

/// Whether a person is typing our stdin.
pub(crate) fn at_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Says what is expected on stdin and what to do about it, if stdin is a terminal.
///
/// `what` completes "waiting on stdin for …".
pub(crate) fn on_stdin(what: &str, hint: &str) {
    if at_terminal() {
        anstream::eprintln!("waiting on stdin for {}", clean(what));
        exit::print_hint(hint);
    }
}

/// The same for data that is typed or piped in, up to its end.
pub(crate) fn for_input(what: &str, usual: &str) {
    on_stdin(
        &format!("{what}; Ctrl-D ends it"),
        &format!("the usual way is `{usual}`"),
    );
}

/// Our stdin; the first read says what is expected, as [`for_input`] does.
pub(crate) fn stdin(what: &'static str, usual: &'static str) -> impl Read {
    Announced {
        words: Some((what, usual)),
        stdin: io::stdin(),
    }
}

/// Our stdin, for the arguments of a call.
pub(crate) fn for_arguments() -> impl Read {
    stdin(
        "the arguments as a JSON object",
        "linkspan call TOOL - TARGET < arguments.json",
    )
}

struct Announced {
    words: Option<(&'static str, &'static str)>,
    stdin: io::Stdin,
}

impl Read for Announced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((what, usual)) = self.words.take() {
            for_input(what, usual);
        }
        self.stdin.read(buffer)
    }
}

/// The same for a server on stdio: an MCP client is expected to start it. `try_it` is a command line
/// that shows the same server to a person.
pub(crate) fn for_client(try_it: &str) {
    on_stdin(
        "an MCP client, which usually starts this command itself; Ctrl-C ends it",
        &format!("to see the server yourself: {try_it}"),
    );
}

/// `linkspan tools …` for this target, with the flags that the server needs.
pub(crate) fn tools_of(
    flags: &[String],
    url: Option<&str>,
    command: &[impl AsRef<OsStr>],
) -> String {
    let command: Vec<_> = command
        .iter()
        .map(|word| word.as_ref().to_string_lossy())
        .collect();
    let dashes = (!command.is_empty()).then_some("--");
    let flags = flags.iter().map(String::as_str);
    let words = ["linkspan", "tools"].into_iter().chain(flags).chain(url);
    shown_line(
        words
            .chain(dashes)
            .chain(command.iter().map(|word| &**word)),
    )
}

/// `linkspan tools …` for a folder.
pub(crate) fn tools_of_folder(dir: &Path) -> String {
    let dir = shown(dir);
    // Without a separator it could be anything.
    let dir = match dir.contains(std::path::is_separator) || dir.starts_with('.') {
        true => dir,
        false => format!("./{dir}"),
    };
    tools_of(&[], Some(&dir), &[] as &[&OsStr])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_that_is_suggested_has_no_secrets() {
        let none: &[&str] = &[];
        let line = tools_of(
            &[],
            Some("https://me:pw@mcp.example.com/mcp?token=abc"),
            none,
        );
        assert_eq!(line, "linkspan tools 'https://mcp.example.com/mcp?…'");
        let line = tools_of(&[], Some("https://me:p@w@host/a@b"), none);
        assert_eq!(line, "linkspan tools https://host/a@b");
    }

    #[test]
    fn the_command_line_that_is_suggested_keeps_the_credentials_by_name() {
        let flags = [
            "--bearer-env",
            "MY_TOKEN",
            "-H",
            "X-Key: ${KEY}",
            "-H",
            "X-Other: abc",
        ];
        let none: &[&str] = &[];
        assert_eq!(
            tools_of(&flags.map(str::to_owned), Some("https://host/mcp"), none),
            "linkspan tools --bearer-env MY_TOKEN -H 'X-Key: ${KEY}' -H 'X-Other: ***' https://host/mcp"
        );
    }

    #[test]
    fn the_command_line_that_is_suggested_can_be_pasted() {
        let none: &[&str] = &[];
        let line = tools_of(&[], Some("https://mcp.example.com/mcp"), none);
        assert_eq!(line, "linkspan tools https://mcp.example.com/mcp");
        let line = tools_of(&[], None, &["npx", "-y", "my server"]);
        assert_eq!(line, "linkspan tools -- npx -y 'my server'");
        assert_eq!(
            tools_of_folder(Path::new("my-server")),
            "linkspan tools ./my-server"
        );
        assert_eq!(tools_of_folder(Path::new(".")), "linkspan tools .");
    }
}
