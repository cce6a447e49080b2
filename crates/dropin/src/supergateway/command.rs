//! The text of `--stdio`. The original gives it to a shell; it is split into words here, and only a text that means
//! more than words is given to a shell.

/// The program and its arguments. `true` if the program is a shell.
pub(super) fn words(text: &str) -> Option<(Vec<String>, bool)> {
    if cfg!(windows) {
        // cmd has other quotes, and npx is a script for it.
        let words = ["cmd", "/d", "/s", "/c", text].map(str::to_owned);
        return (!text.trim().is_empty()).then(|| (words.into(), true));
    }
    match split(text) {
        Split::Words(words) if words.is_empty() => None,
        Split::Words(words) => Some((words, false)),
        Split::Shell => Some((["/bin/sh", "-c", text].map(str::to_owned).into(), true)),
    }
}

#[derive(Debug, PartialEq)]
enum Split {
    Words(Vec<String>),
    /// It has something that only a shell understands.
    Shell,
}

/// Characters that mean something to a shell outside of quotes.
const SPECIAL: &str = "|&;<>()$`*?[]#~{}!\n";

fn split(text: &str) -> Split {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Split::Shell,
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\')) => word.push(c),
                            _ => return Split::Shell,
                        },
                        Some('$' | '`' | '!') | None => return Split::Shell,
                        Some(c) => word.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some(c) if c != '\n' => word.get_or_insert_default().push(c),
                _ => return Split::Shell,
            },
            c if SPECIAL.contains(c) => return Split::Shell,
            // `NAME=value command` sets a variable.
            '=' if words.is_empty() => return Split::Shell,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Split::Words(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_commands_need_no_shell() {
        let words = |text| match split(text) {
            Split::Words(words) => words.join("|"),
            Split::Shell => "shell".to_owned(),
        };
        assert_eq!(words("npx -y  pkg ./my-folder"), "npx|-y|pkg|./my-folder");
        assert_eq!(words(r#"a 'b c' "d e" f\ g h''i"#), "a|b c|d e|f g|hi");
        assert_eq!(words("x --flag=1 ''"), "x|--flag=1|");
        for shell in [
            "A=1 npx x",
            "cd /x && y",
            "echo $HOME",
            "a \"$HOME\"",
            "ls *",
            "a | b",
            "a 'b",
            "~/bin/server",
        ] {
            assert_eq!(split(shell), Split::Shell, "{shell}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_empty_command_is_none() {
        assert_eq!(words("  "), None);
    }
}
