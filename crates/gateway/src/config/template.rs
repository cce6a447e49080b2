//! Texts with references such as `${env:NAME}`.

use std::fmt;

use linkspan_schema::nearest;

use super::hidden::Hidden;

/// What stands before the colon of a reference.
const SCHEMES: [&str; 4] = ["env", "file", "keyring", "input"];

/// A text in which references are replaced before it is used. `$${` stands for `${`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Template {
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    Text(Hidden),
    Reference(Reference),
}

/// What stands for a value that is not in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reference {
    /// `${env:NAME}`, `${NAME}` or `${NAME:-default}`: a variable of the environment.
    Env {
        /// Its name.
        name: String,
        /// What is used if it is not set or empty.
        default: Option<Hidden>,
    },
    /// `${file:PATH}`: the content of a file, without the line break at its end.
    File(String),
    /// `${keyring:NAME}`: an entry of our store.
    Keyring(String),
    /// `${input:ID}`: an answer of the user.
    Input(String),
    /// `${workspaceFolder}`.
    WorkspaceFolder,
    /// `${workspaceFolderBasename}`.
    WorkspaceFolderBasename,
    /// `${userHome}`.
    UserHome,
    /// `${pathSeparator}` or `${/}`.
    PathSeparator,
}

/// Why a reference is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It would run a command.
    #[error("`${{{0}:…}}` would run a command")]
    Command(String),
    /// It has an unknown word before its colon.
    #[error("`${{{0}:…}}` is unknown")]
    Scheme(String),
    /// It names nothing.
    #[error("`${{{0}:}}` has no name")]
    Nameless(&'static str),
    /// It has a reference inside.
    #[error("a default cannot have a reference inside")]
    Nested,
}

impl TemplateError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Command(_) => {
                "write the value to a file and use ${file:PATH}, or set a variable and use ${env:NAME}"
                    .to_owned()
            }
            Self::Scheme(scheme) => match nearest(scheme, SCHEMES) {
                Some(near) => format!("did you mean ${{{near}:…}}? A literal ${{ is written $${{"),
                None => {
                    "known are ${env:…}, ${file:…}, ${keyring:…} and ${input:…}; a literal ${ is written $${"
                        .to_owned()
                }
            },
            Self::Nameless(scheme) => format!("write ${{{scheme}:NAME}}"),
            Self::Nested => "write the default as plain text".to_owned(),
        }
    }
}

impl Template {
    /// Finds the references in a text.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('$') {
                plain.push_str(before);
                plain.push_str("${");
                rest = after;
                continue;
            }
            plain.push_str(before);
            let Some((inside, behind)) = after.split_once('}') else {
                plain.push_str("${");
                rest = after;
                break;
            };
            match Reference::parse(inside)? {
                Some(reference) => {
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain).into()));
                    }
                    pieces.push(Piece::Reference(reference));
                    rest = behind;
                }
                None => {
                    plain.push_str("${");
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain.into()));
        }
        Ok(Self { pieces })
    }

    /// A text without references.
    pub fn plain(text: &str) -> Self {
        let pieces = (!text.is_empty()).then(|| Piece::Text(text.into()));
        Self {
            pieces: pieces.into_iter().collect(),
        }
    }

    /// Its references.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Reference(reference) => Some(reference),
        })
    }

    /// The text, if it has no references.
    pub fn as_plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text.as_str()),
            _ => None,
        }
    }

    /// The text between the references.
    pub(super) fn text(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Reference(_) => None,
        })
    }

    /// The text before the first reference.
    pub(super) fn head(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text.as_str(),
            _ => "",
        }
    }

    /// As in a file. This shows secrets that are in the file itself, which `Debug` does not.
    pub fn written(&self) -> String {
        let mut written = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => written += &text.as_str().replace("${", "$${"),
                Piece::Reference(Reference::Env {
                    name,
                    default: Some(default),
                }) => written += &format!("${{env:{name}:-{}}}", default.as_str()),
                Piece::Reference(reference) => written += &reference.to_string(),
            }
        }
        written
    }
}

impl Reference {
    /// Reads what is between the braces; `None` is plain text, for example of a shell.
    fn parse(inside: &str) -> Result<Option<Self>, TemplateError> {
        match inside {
            "workspaceFolder" => return Ok(Some(Self::WorkspaceFolder)),
            "workspaceFolderBasename" => return Ok(Some(Self::WorkspaceFolderBasename)),
            "userHome" => return Ok(Some(Self::UserHome)),
            "pathSeparator" | "/" => return Ok(Some(Self::PathSeparator)),
            _ => {}
        }
        let Some((word, rest)) = inside.split_once(':') else {
            return Ok(is_variable(inside).then(|| Self::Env {
                name: inside.to_owned(),
                default: None,
            }));
        };
        if !is_variable(&word.replace('-', "_")) {
            return Ok(None);
        }
        let named = |scheme, make: fn(String) -> Self| match rest {
            "" => Err(TemplateError::Nameless(scheme)),
            name => Ok(Some(make(name.to_owned()))),
        };
        match word {
            "cmd" | "command" => Err(TemplateError::Command(word.to_owned())),
            "file" => named("file", Self::File),
            "keyring" => named("keyring", Self::Keyring),
            "input" => named("input", Self::Input),
            "env" => match rest.split_once(":-") {
                Some((name, default)) if !name.is_empty() => Self::with_default(name, default),
                None if !rest.is_empty() => Ok(Some(Self::Env {
                    name: rest.to_owned(),
                    default: None,
                })),
                _ => Err(TemplateError::Nameless("env")),
            },
            name => match rest.strip_prefix('-') {
                Some(default) => Self::with_default(name, default),
                None => Err(TemplateError::Scheme(name.to_owned())),
            },
        }
    }

    fn with_default(name: &str, default: &str) -> Result<Option<Self>, TemplateError> {
        if default.contains("${") {
            return Err(TemplateError::Nested);
        }
        Ok(Some(Self::Env {
            name: name.to_owned(),
            default: Some(default.into()),
        }))
    }

    /// Whether its value may be a secret.
    pub fn is_secret(&self) -> bool {
        matches!(
            self,
            Self::Env { .. } | Self::File(_) | Self::Keyring(_) | Self::Input(_)
        )
    }
}

/// As in a file, without its default, which may be a secret.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env { name, .. } => write!(f, "${{env:{name}}}"),
            Self::File(path) => write!(f, "${{file:{path}}}"),
            Self::Keyring(name) => write!(f, "${{keyring:{name}}}"),
            Self::Input(id) => write!(f, "${{input:{id}}}"),
            Self::WorkspaceFolder => f.write_str("${workspaceFolder}"),
            Self::WorkspaceFolderBasename => f.write_str("${workspaceFolderBasename}"),
            Self::UserHome => f.write_str("${userHome}"),
            Self::PathSeparator => f.write_str("${pathSeparator}"),
        }
    }
}

fn is_variable(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn env(name: &str, default: Option<&str>) -> Piece {
        Piece::Reference(Reference::Env {
            name: name.to_owned(),
            default: default.map(Hidden::from),
        })
    }

    #[test]
    fn references_of_every_form_are_found() {
        let pieces = |text: &str| Template::parse(text).unwrap().pieces;
        assert_eq!(pieces("${env:A}"), [env("A", None)]);
        assert_eq!(pieces("${A:-b:c}"), [env("A", Some("b:c"))]);
        assert_eq!(pieces("${env:A:-}"), [env("A", Some(""))]);
        let text = |text: &str| Piece::Text(text.into());
        assert_eq!(
            pieces("Bearer ${A}!"),
            [text("Bearer "), env("A", None), text("!")]
        );
        let home = Piece::Reference(Reference::UserHome);
        assert_eq!(pieces("${userHome}/x"), [home, text("/x")]);
        assert_eq!(
            pieces("${file:C:/a b}"),
            [Piece::Reference(Reference::File("C:/a b".to_owned()))]
        );
    }

    #[test]
    fn other_text_with_dollars_stays() {
        for text in ["$HOME", "${", "${}", "${#x}", "${x%.*}", "a$", "${1}"] {
            assert_eq!(Template::parse(text).unwrap().as_plain(), Some(text));
        }
        assert_eq!(
            Template::parse("$${env:A}").unwrap().as_plain(),
            Some("${env:A}")
        );
    }

    #[test]
    fn what_cannot_be_resolved_is_refused() {
        let error = |text: &str| Template::parse(text).unwrap_err();
        assert_eq!(error("${cmd:ls}"), TemplateError::Command("cmd".to_owned()));
        assert!(error("${evn:X}").hint().contains("${env:…}"));
        assert!(error("${vault:x}").hint().contains("${keyring:…}"));
        assert_eq!(error("${env:}"), TemplateError::Nameless("env"));
        assert_eq!(error("${A:-${B}}"), TemplateError::Nested);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in r"([$]|[$][{]|[}:a-zA/-]|env:|file:|\PC){0,12}") {
            if let Ok(template) = Template::parse(&text) {
                prop_assert_eq!(Template::parse(&template.written()), Ok(template));
            }
        }
    }
}
