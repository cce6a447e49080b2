//! Long help texts: paragraphs that fit any terminal, and examples that keep their lines.

/// Joins the lines of each paragraph, because clap breaks lines where the terminal ends; a text that is
/// broken already would get a short line after each long one. Indented lines stay.
pub(crate) fn reflow(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        if !out.is_empty() {
            let joins = is_prose(before) && is_prose(line) && !before.ends_with(':');
            out.push(if joins { ' ' } else { '\n' });
        }
        out.push_str(line);
        before = line;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn paragraphs_are_joined_and_examples_are_not() {
        let text = "One two\nthree.\n\nFour:\n  a\n  b\n\nFive\nsix.";
        assert_eq!(
            reflow(text),
            "One two three.\n\nFour:\n  a\n  b\n\nFive six."
        );
    }

    /// On a terminal of 80 columns an example stays on its line, and prose is left to clap.
    #[test]
    fn help_fits_eighty_columns() {
        fn look(command: &mut clap::Command) {
            let name = command.get_bin_name().unwrap_or("linkspan").to_owned();
            let texts = [
                command.get_after_help().map(ToString::to_string),
                command.get_after_long_help().map(ToString::to_string),
            ];
            for text in texts.into_iter().flatten() {
                let lines: Vec<&str> = text.lines().collect();
                for line in lines.iter().filter(|line| line.starts_with(' ')) {
                    let width = line.chars().count();
                    assert!(width <= 80, "{name}: {width} columns: {line}");
                }
                for two in lines.windows(2) {
                    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
                    assert!(
                        !(is_prose(two[0]) && is_prose(two[1])),
                        "{name}: use reflow: {two:?}"
                    );
                }
            }
            for below in command.get_subcommands_mut() {
                look(below);
            }
        }
        let mut program = Cli::command();
        program.build();
        look(&mut program);
    }
}
