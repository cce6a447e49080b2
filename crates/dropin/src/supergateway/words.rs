//! Words as yargs reads them.

use super::flags::FLAGS;
use crate::error::LineError;
use crate::flags::unknown;
use crate::program::Program;

/// Flags that take every word up to the next flag.
const LISTS: [&str; 3] = ["--cors", "--healthEndpoint", "--header"];

/// The flags of a command line with their values.
#[derive(Debug, Default)]
pub(super) struct Given {
    values: Vec<(&'static str, Vec<String>)>,
    /// How many words belong to no flag.
    pub(super) unexpected: usize,
}

impl Given {
    pub(super) fn read(words: impl IntoIterator<Item = String>) -> Result<Self, LineError> {
        let program = Program::Supergateway;
        let mut given = Self::default();
        let mut words = words.into_iter().peekable();
        let is_flag = |word: &str| word.len() > 2 && word.starts_with("--");
        while let Some(word) = words.next() {
            if !is_flag(&word) {
                given.unexpected += 1;
                continue;
            }
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let camel = camel_case(name);
            let (camel, negated) = match camel.strip_prefix("--no-") {
                Some(rest) => (format!("--{rest}"), true),
                None => (camel, false),
            };
            let Some(flag) = FLAGS.iter().find(|flag| flag.name == camel) else {
                return Err(unknown(program, name, FLAGS));
            };
            let values = match (flag.value, attached) {
                (_, Some(value)) => vec![value],
                (None, None) if negated => vec!["false".to_owned()],
                (None, None) => {
                    let is_bool = |word: &String| word == "true" || word == "false";
                    words.next_if(is_bool).into_iter().collect()
                }
                (Some(_), None) if LISTS.contains(&flag.name) => {
                    std::iter::from_fn(|| words.next_if(|word| !is_flag(word))).collect()
                }
                (Some(_), None) => {
                    let flag = flag.name;
                    let value = words.next_if(|word| !is_flag(word));
                    vec![value.ok_or(LineError::NoValue { program, flag })?]
                }
            };
            given.values.push((flag.name, values));
        }
        Ok(given)
    }

    /// Whether a flag is there.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.values.iter().any(|(name, _)| *name == flag)
    }

    /// The value of a flag: the last one, if there are several.
    pub(super) fn value(&self, flag: &str) -> Option<&str> {
        let mut values = self.values.iter().rev();
        let (_, values) = values.find(|(name, _)| *name == flag)?;
        values.last().map(String::as_str)
    }

    /// Whether a flag without a value is set.
    pub(super) fn is_set(&self, flag: &str) -> bool {
        self.has(flag) && self.value(flag) != Some("false")
    }

    /// All values of a list.
    pub(super) fn list(&self, flag: &str) -> Vec<String> {
        let all = self.values.iter().filter(|(name, _)| *name == flag);
        all.flat_map(|(_, values)| values.clone()).collect()
    }
}

/// `--base-url` is `--baseUrl`; the dash of `--no-` stays.
fn camel_case(name: &str) -> String {
    let (head, rest) = name.split_at(if name.starts_with("--no-") { 5 } else { 2 });
    let mut out = head.to_owned();
    let mut after_dash = false;
    for c in rest.chars() {
        match c {
            '-' => after_dash = true,
            c if std::mem::take(&mut after_dash) => out.extend(c.to_uppercase()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Given {
        Given::read(words.iter().map(|word| (*word).to_owned())).unwrap()
    }

    #[test]
    fn names_may_have_dashes_and_values_an_equals_sign() {
        let given = read(&[
            "--output-transport",
            "ws",
            "--port=9",
            "--base-url=http://x/?a=b",
        ]);
        assert_eq!(given.value("--outputTransport"), Some("ws"));
        assert_eq!(given.value("--port"), Some("9"));
        assert_eq!(given.value("--baseUrl"), Some("http://x/?a=b"));
    }

    #[test]
    fn lists_take_words_up_to_the_next_flag() {
        let given = read(&[
            "--header",
            "a: 1",
            "b: 2",
            "--cors",
            "--header",
            "c: 3",
            "--stateful",
        ]);
        assert_eq!(given.list("--header"), ["a: 1", "b: 2", "c: 3"]);
        assert!(given.has("--cors") && given.list("--cors").is_empty());
        assert!(given.is_set("--stateful"));
    }

    #[test]
    fn a_switch_can_be_off() {
        for words in [
            &["--stateful=false"][..],
            &["--no-stateful"],
            &["--stateful", "false"],
        ] {
            assert!(!read(words).is_set("--stateful"), "{words:?}");
        }
        assert!(read(&["--stateful", "true"]).is_set("--stateful"));
    }

    #[test]
    fn a_misspelt_flag_is_refused_with_the_right_one() {
        let words = ["--outputTransprt".to_owned(), "ws".to_owned()];
        let refused = Given::read(words).unwrap_err().to_string();
        assert!(
            refused.ends_with("did you mean `--outputTransport`?"),
            "{refused}"
        );
    }
}
