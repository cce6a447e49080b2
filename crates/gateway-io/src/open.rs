//! The configuration of a server becomes a way to open it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_bridge::{Backend, is_found};
use linkspan_gateway::config::{Reference, ServerConfig, Target, Transport, Unresolved, Values};
use linkspan_ports::{ChildOptions, HttpOptions, OptionsError};
use linkspan_wire::Limits;

/// The largest file with variables or a secret.
const LARGEST: u64 = 1 << 20;
/// Before the name of the variable with the answer to a `${input:…}`.
const INPUT: &str = "LINKSPAN_INPUT_";

/// What opening a server needs besides its configuration. Nothing here is read from the environment by this crate.
pub struct Opening<'a, E> {
    /// The folder of the configuration file; relative paths begin there.
    pub folder: PathBuf,
    /// The folder that linkspan was started in.
    pub workspace: PathBuf,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// A secret of the credential store.
    pub secret: &'a dyn Fn(&str) -> Result<Option<String>, String>,
    /// The folder of the user.
    pub home: Option<PathBuf>,
    /// Folders with programs, as in `PATH`.
    pub search_path: OsString,
    /// Variables that no server may see.
    pub without_env: Vec<OsString>,
    /// The size limit of messages.
    pub limits: Limits,
    /// Allows plain http to other machines.
    pub insecure_http: bool,
    /// More options of every URL.
    pub http: &'a dyn Fn(&mut HttpOptions),
    /// A server at a URL, which may sign in.
    pub url: &'a dyn Fn(HttpOptions) -> Result<Backend, E>,
    /// A folder of scripts as a server.
    pub scripts: &'a dyn Fn(&Path) -> Result<Backend, E>,
}

/// Why a server cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError<E> {
    /// References without a value.
    #[error("{}", list(.0))]
    Unresolved(Vec<Unresolved>),
    /// A URL or a header that cannot be used.
    #[error(transparent)]
    Http(#[from] OptionsError),
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// The file with variables cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    EnvFile {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// A line of the file with variables is not `NAME=VALUE`.
    #[error("{}, line {line}: it is not NAME=VALUE", path.display())]
    EnvLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The caller's error.
    #[error("the server cannot be opened")]
    Other(E),
}

impl<E> OpenError<E> {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unresolved(all) => all.first().map(Unresolved::hint),
            Self::Http(_) | Self::Other(_) => None,
            Self::NoProgram(name) => Some(format!("install `{name}`, or give its full path")),
            Self::EnvFile { .. } => Some("look at \"envFile\"".to_owned()),
            Self::EnvLine { .. } => Some("write one NAME=VALUE per line".to_owned()),
        }
    }
}

fn list(errors: &[Unresolved]) -> String {
    let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
    all.join("; ")
}

impl<E> Opening<'_, E> {
    /// How to open a server.
    ///
    /// # Errors
    /// What is missing on this machine.
    pub fn backend(&self, server: &ServerConfig) -> Result<Backend, OpenError<E>> {
        let values: &mut Values<'_> = &mut |reference| self.value(reference);
        let target = server.target.resolve(values);
        match target.map_err(OpenError::Unresolved)? {
            Target::Command {
                program,
                args,
                env,
                env_file,
                cwd,
            } => {
                let program = self.program(program.as_str())?;
                let file = env_file
                    .map(|path| self.env_file(path.as_str()))
                    .transpose()?;
                let given = env
                    .into_iter()
                    .map(|(name, value)| (name, value.into_string()));
                let env = file.into_iter().flatten().chain(given);
                Ok(Backend::command(ChildOptions {
                    label: Some(server.alias.to_string()),
                    program,
                    args: args
                        .into_iter()
                        .map(|arg| arg.into_string().into())
                        .collect(),
                    limits: self.limits,
                    env: env
                        .map(|(name, value)| (name.into(), value.into()))
                        .collect(),
                    without_env: self.without_env.clone(),
                    cwd: cwd.map(|cwd| self.path(cwd.as_str())),
                }))
            }
            Target::Url {
                url,
                transport,
                headers,
            } => {
                let mut options = HttpOptions::new(url.as_str(), self.insecure_http)?;
                options.transport = match transport {
                    Transport::Auto => linkspan_ports::Transport::Auto,
                    Transport::Http => linkspan_ports::Transport::Http,
                    Transport::Sse => linkspan_ports::Transport::Sse,
                };
                options.limits = self.limits;
                options.proxy_from(self.variable);
                for (name, value) in &headers {
                    options.header(name, value.as_str())?;
                }
                (self.http)(&mut options);
                (self.url)(options).map_err(OpenError::Other)
            }
            Target::Folder(folder) => {
                (self.scripts)(&self.path(folder.as_str())).map_err(OpenError::Other)
            }
        }
    }

    fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(text),
        }
    }

    /// A program of `PATH`, or a path.
    fn program(&self, text: &str) -> Result<OsString, OpenError<E>> {
        let is_path = text.contains(std::path::is_separator);
        let program = match is_path {
            true => self.path(text).into_os_string(),
            false => text.into(),
        };
        match is_found(&program, &self.search_path) {
            true => Ok(program),
            false => Err(OpenError::NoProgram(text.to_owned())),
        }
    }

    fn env_file(&self, path: &str) -> Result<Vec<(String, String)>, OpenError<E>> {
        let path = self.path(path);
        let text = read(&path).map_err(|why| OpenError::EnvFile {
            path: path.clone(),
            why,
        })?;
        variables(&text).map_err(|line| OpenError::EnvLine { path, line })
    }

    fn value(&self, reference: &Reference) -> Result<Option<String>, String> {
        Ok(match reference {
            Reference::Env { name, .. } => (self.variable)(name),
            Reference::File(path) => match read(&self.path(path)) {
                Ok(text) => Some(text.trim_end_matches(['\r', '\n']).to_owned()),
                Err(why) if why.kind() == io::ErrorKind::NotFound => None,
                Err(why) => return Err(why.to_string()),
            },
            Reference::Keyring(name) => (self.secret)(name)?,
            Reference::Input(id) => (self.variable)(&input_variable(id)),
            Reference::WorkspaceFolder => Some(self.workspace.display().to_string()),
            Reference::WorkspaceFolderBasename => {
                let name = self.workspace.file_name();
                name.map(|name| name.to_string_lossy().into_owned())
            }
            Reference::UserHome => self.home.as_ref().map(|home| home.display().to_string()),
            Reference::PathSeparator => Some(std::path::MAIN_SEPARATOR.to_string()),
        })
    }
}

/// The variable with the answer to a `${input:ID}`.
pub fn input_variable(id: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let name: String = id.chars().map(plain).collect();
    format!("{INPUT}{name}")
}

fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.len() > LARGEST {
        return Err(io::Error::other(format!(
            "it has more than {LARGEST} bytes"
        )));
    }
    fs::read_to_string(path)
}

/// The variables of a file: `NAME=VALUE` lines, blank lines and comments. The error is the number of a line.
fn variables(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or(i + 1)?;
        let (name, value) = (name.trim_end(), value.trim_start());
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(i + 1);
        }
        let quoted = ['"', '\''].iter().find_map(|quote| {
            let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
            Some(inner)
        });
        found.push((name.to_owned(), quoted.unwrap_or(value).to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_file_are_read() {
        let text = "# c\n\nA=1\nexport B = two words \nC=\"x=y\"\nD='it''s'\nE=\n";
        let read = variables(text).unwrap();
        let read: Vec<_> = read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(
            read,
            [
                ("A", "1"),
                ("B", "two words"),
                ("C", "x=y"),
                ("D", "it''s"),
                ("E", "")
            ]
        );
        assert_eq!(variables("A=1\nnothing\n"), Err(2));
        assert_eq!(variables("A B=1"), Err(1));
    }

    #[test]
    fn an_input_has_a_variable_of_its_own() {
        assert_eq!(
            input_variable("github-token"),
            "LINKSPAN_INPUT_GITHUB_TOKEN"
        );
    }
}
