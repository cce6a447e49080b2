//! Replaces the references in a target by their values.

use super::hidden::Hidden;
use super::template::{Piece, Reference, Template};
use super::{Target, target};

/// Why a target cannot be used. No message contains a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// There is no such value.
    #[error("{0} is not there")]
    Missing(Reference),
    /// The value could not be read.
    #[error("{reference}: {why}")]
    Failed {
        /// What stands for it.
        reference: Reference,
        /// Why; it does not contain the value.
        why: String,
    },
    /// A value has a character that its place does not allow.
    #[error("the value of {0} has a line break or another control character, or a NUL")]
    Character(String),
    /// It is not a URL.
    #[error("the URL with its values does not begin with http:// or https://")]
    Url,
}

impl Unresolved {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing(Reference::Env { name, .. }) => {
                format!("set the variable {name}, or write a default: ${{{name}:-DEFAULT}}")
            }
            Self::Missing(Reference::File(path)) => format!("make the file {path}"),
            Self::Missing(Reference::Keyring(name)) => {
                format!("linkspan auth secret set {name} < FILE")
            }
            Self::Missing(Reference::Input(_)) => {
                "answer the question, or write a default".to_owned()
            }
            Self::Missing(_) => "write the path itself".to_owned(),
            Self::Failed { .. } | Self::Character(_) => {
                "look at where the value comes from".to_owned()
            }
            Self::Url => "look at the values in \"url\"".to_owned(),
        }
    }
}

/// Gives the value of a reference, `None` if there is none, or why it cannot be read. It is not asked for defaults.
pub type Values<'v> = dyn FnMut(&Reference) -> Result<Option<String>, String> + 'v;

impl Template {
    /// The text with values instead of references.
    ///
    /// # Errors
    /// Every reference without a value.
    pub fn resolve(&self, values: &mut Values<'_>) -> Result<Hidden, Vec<Unresolved>> {
        let (mut text, mut errors) = (String::new(), Vec::new());
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text += plain.as_str(),
                Piece::Reference(reference) => match value(reference, values) {
                    Ok(value) => text += &value,
                    Err(error) => errors.push(error),
                },
            }
        }
        if errors.is_empty() {
            Ok(text.into())
        } else {
            Err(errors)
        }
    }
}

fn value(reference: &Reference, values: &mut Values<'_>) -> Result<String, Unresolved> {
    let found = values(reference).map_err(|why| Unresolved::Failed {
        reference: reference.clone(),
        why,
    })?;
    let default = match reference {
        Reference::Env { default, .. } => default.as_ref(),
        _ => None,
    };
    match (found, default) {
        (Some(text), None) => Ok(text),
        (Some(text), Some(_)) if !text.is_empty() => Ok(text),
        (_, Some(default)) => Ok(default.as_str().to_owned()),
        (None, None) => Err(Unresolved::Missing(reference.clone())),
    }
}

impl<T> Target<T> {
    /// All texts with references.
    pub fn parts(&self) -> Vec<&T> {
        match self {
            Self::Command {
                program,
                args,
                env,
                env_file,
                cwd,
            } => {
                let env = env.iter().map(|(_, value)| value);
                let paths = env_file.iter().chain(cwd);
                [program]
                    .into_iter()
                    .chain(args)
                    .chain(env)
                    .chain(paths)
                    .collect()
            }
            Self::Url { url, headers, .. } => {
                let headers = headers.iter().map(|(_, value)| value);
                [url].into_iter().chain(headers).collect()
            }
            Self::Folder(folder) => vec![folder],
        }
    }
}

impl Target {
    /// The target with values instead of references.
    ///
    /// # Errors
    /// Everything that is missing or does not fit its place.
    pub fn resolve(&self, values: &mut Values<'_>) -> Result<Target<Hidden>, Vec<Unresolved>> {
        let mut step = Step {
            values,
            errors: Vec::new(),
        };
        let target = match self {
            Self::Command {
                program,
                args,
                env,
                env_file,
                cwd,
            } => Target::Command {
                program: step.argument("command", program),
                args: args.iter().map(|arg| step.argument("args", arg)).collect(),
                env: env
                    .iter()
                    .map(|(name, value)| (name.clone(), step.argument(name, value)))
                    .collect(),
                env_file: env_file.as_ref().map(|path| step.argument("envFile", path)),
                cwd: cwd.as_ref().map(|path| step.argument("cwd", path)),
            },
            Self::Url {
                url,
                transport,
                headers,
            } => Target::Url {
                url: step.url(url),
                transport: *transport,
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.clone(), step.text(name, value, target::is_header)))
                    .collect(),
            },
            Self::Folder(folder) => Target::Folder(step.argument("folder", folder)),
        };
        if step.errors.is_empty() {
            Ok(target)
        } else {
            Err(step.errors)
        }
    }
}

struct Step<'s, 'v> {
    values: &'s mut Values<'v>,
    errors: Vec<Unresolved>,
}

impl Step<'_, '_> {
    fn argument(&mut self, name: &str, template: &Template) -> Hidden {
        self.text(name, template, target::is_argument)
    }

    fn text(&mut self, name: &str, template: &Template, allowed: fn(char) -> bool) -> Hidden {
        let text = template.resolve(self.values).unwrap_or_else(|errors| {
            self.errors.extend(errors);
            Hidden::default()
        });
        if !text.as_str().chars().all(allowed) {
            self.errors.push(Unresolved::Character(name.to_owned()));
        }
        text
    }

    fn url(&mut self, template: &Template) -> Hidden {
        match template.resolve(self.values) {
            Ok(url) => {
                if !target::is_url(url.as_str()) {
                    self.errors.push(Unresolved::Url);
                }
                url
            }
            Err(errors) => {
                self.errors.extend(errors);
                Hidden::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, Vec<Unresolved>> {
        let mut values = |reference: &Reference| match reference {
            Reference::Env { name, .. } if name == "SET" => Ok(Some("s3cret".to_owned())),
            Reference::Env { name, .. } if name == "EMPTY" => Ok(Some(String::new())),
            Reference::File(_) => Err("it is a folder".to_owned()),
            _ => Ok(None),
        };
        let template = Template::parse(text).unwrap();
        template.resolve(&mut values).map(Hidden::into_string)
    }

    #[test]
    fn values_and_defaults_replace_references() {
        assert_eq!(of("a ${SET} b").unwrap(), "a s3cret b");
        assert_eq!(of("${SET:-x}${EMPTY:-y}${NONE:-z}").unwrap(), "s3cretyz");
        assert_eq!(of("${EMPTY}$${SET}").unwrap(), "${SET}");
    }

    #[test]
    fn all_missing_values_are_named_at_once() {
        let errors = of("${A}${file:/x}${keyring:k}").unwrap_err();
        let texts: Vec<_> = errors.iter().map(Unresolved::to_string).collect();
        assert_eq!(
            texts,
            [
                "${env:A} is not there",
                "${file:/x}: it is a folder",
                "${keyring:k} is not there"
            ]
        );
        assert!(errors[0].hint().contains("${A:-DEFAULT}"));
    }

    #[test]
    fn a_value_cannot_add_a_header_or_change_the_scheme() {
        let target = |url: &str, header: &str| Target::Url {
            url: Template::parse(url).unwrap(),
            transport: super::super::Transport::Auto,
            headers: vec![("X-Key".to_owned(), Template::parse(header).unwrap())],
        };
        let with = |value: &'static str| move |_: &Reference| Ok(Some(value.to_owned()));
        let resolve = |target: Target, value| target.resolve(&mut with(value));
        let error = resolve(target("https://x", "${A}"), "a\r\nX-Other: b").unwrap_err();
        assert_eq!(error, [Unresolved::Character("X-Key".to_owned())]);
        let error = resolve(target("${A}://x", "y"), "file").unwrap_err();
        assert_eq!(error, [Unresolved::Url]);
        let resolved = resolve(target("https://x/${A}", "${A}"), "s3cret").unwrap();
        assert!(!format!("{resolved:?}").contains("s3cret"));
        assert_eq!(resolved.parts()[0].as_str(), "https://x/s3cret");
    }
}
