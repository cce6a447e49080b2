//! The programs under test, built once.

use std::time::Duration;

use crate::{child, paths};

const BUILD: Duration = Duration::from_secs(20 * 60);

pub struct Programs {
    /// The bridge.
    pub linkspan: String,
    /// The stdio server with the suite's fixtures.
    pub fixture: String,
}

impl Programs {
    pub fn build() -> Result<Self, String> {
        // With the same command as the suites, so that nothing is built twice with other features.
        let line = "test --workspace --test peers --test fixture --no-run --locked";
        let mut build = paths::cargo(line);
        let messages = child::capture(build.arg("--message-format=json"), BUILD)?;
        Ok(Self {
            linkspan: program(&messages, "linkspan")?,
            fixture: program(&messages, "linkspan-fixture")?,
        })
    }
}

fn program(messages: &str, name: &str) -> Result<String, String> {
    let named = format!(r#""name":"{name}""#);
    messages
        .lines()
        .filter(|line| line.contains(r#""kind":["bin"]"#) && line.contains(&named))
        .find_map(|line| line.split_once(r#""executable":""#)?.1.split('"').next())
        .map(str::to_owned)
        .ok_or_else(|| format!("cargo names no executable of `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_whole_name() {
        let messages = concat!(
            r#"{"target":{"kind":["bin"],"name":"linkspan-fixture"},"executable":"/t/linkspan-fixture"}"#,
            "\n",
            r#"{"target":{"kind":["test"],"name":"linkspan"},"executable":"/t/deps/x"}"#,
            "\n",
            r#"{"target":{"kind":["bin"],"name":"linkspan"},"executable":"/t/linkspan"}"#,
        );
        assert_eq!(program(messages, "linkspan").as_deref(), Ok("/t/linkspan"));
        assert!(program(messages, "other").is_err());
    }
}
