//! What a command line refers to: variables of the environment, and files.

use std::io;
use std::path::Path;

use linkspan_ports::HttpOptions;

use crate::error::LineError;

/// Gives a command line what it refers to.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The value of a variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
}

/// Trusts the certificates that Node would trust in addition.
pub(crate) fn trust_more(
    options: &mut HttpOptions,
    around: Surroundings<'_>,
) -> Result<(), LineError> {
    let Some(file) = (around.variable)("NODE_EXTRA_CA_CERTS").filter(|file| !file.is_empty())
    else {
        return Ok(());
    };
    let read = (around.read)(file.as_ref()).map_err(|source| LineError::File {
        file: file.into(),
        source,
    })?;
    options.ca = Some(read.into_bytes());
    Ok(())
}

/// A text with the `${NAME}` in it replaced. Variables without a value are left as they are, and returned.
pub(crate) fn expanded(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (String, Vec<String>) {
    let (mut out, mut missing) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${")
        && let Some((name, after)) = after.split_once('}')
    {
        out.push_str(before);
        match variable(name).filter(|_| !name.is_empty()) {
            Some(value) => out.push_str(&value),
            None => {
                out.push_str(&format!("${{{name}}}"));
                missing.push(name.to_owned());
            }
        }
        rest = after;
    }
    out.push_str(rest);
    (out, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_a_value_stay_and_are_named() {
        let variable = |name: &str| (name == "A").then(|| "1".to_owned());
        let all = expanded("${A}-${B}${A}${", &variable);
        assert_eq!(all, ("1-${B}1${".to_owned(), vec!["B".to_owned()]));
    }
}
