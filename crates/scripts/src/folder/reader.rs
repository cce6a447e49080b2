//! Reads a folder: the parts common to all kinds of entries.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::{Catalogue, Completion, Fix, Ignored, Problem, Severity};
use super::completions::Targets;
use super::listing::Item;
use super::meta::Meta;
use super::server::Filter;
use super::settings::RunSettings;
use crate::os::MetadataExt as _;
use crate::trust::{Distrust, Trust, WalkError};

/// Limit of entries of one kind.
pub(super) const MOST: usize = 10_000;
/// Above this number of entries the reader warns.
const MANY: usize = 500;

/// Options of the reader.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Settings for entries where neither the metadata nor the server's file sets them.
    pub defaults: RunSettings,
    /// The minimum sandbox level.
    pub sandbox: Option<u8>,
    /// Whether files that other users can write or own are accepted.
    pub accept_writable: bool,
    /// Whether all files are checked for write access of other users, whatever their number.
    pub thorough: bool,
    /// This process's environment: interpreters are looked up in its `PATH`.
    pub env: Vec<(OsString, OsString)>,
}

/// Why a folder cannot be served at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder does not exist.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The given path.
        path: PathBuf,
    },
    /// The folder cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The given path.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Another user can change the contents.
    #[error("{} cannot be trusted: {reason}", path.display())]
    Untrusted {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: Distrust,
    },
    /// Another user could replace the folder.
    #[error("{} cannot be trusted: {}: {reason}", folder.display(), path.display())]
    AboveUntrusted {
        /// The folder to serve.
        folder: PathBuf,
        /// The folder or link on its path that other users can change.
        path: PathBuf,
        /// Why.
        reason: Distrust,
    },
    /// The server's file is invalid. Its settings apply to every entry, and some restrict access, so nothing is
    /// offered without them.
    #[error("{}{}: {}", .0.path.display(), .0.line.map(|line| format!(":{line}")).unwrap_or_default(), .0.text)]
    ServerFile(Box<Problem>),
}

impl FolderError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotAFolder { .. } => Some("`linkspan new DIR` makes one".to_owned()),
            Self::Unreadable { .. } => Some("chmod u+rx, if it is yours".to_owned()),
            Self::Untrusted { reason, .. } => Some(reason.hint().to_owned()),
            Self::AboveUntrusted { .. } => Some(
                "move it to a folder that only you can write to; `--insecure-writable` serves it even so"
                    .to_owned(),
            ),
            Self::ServerFile(problem) => Some(problem.hint.clone().unwrap_or_else(|| {
                "nothing is offered without it, because its limits would be missing".to_owned()
            })),
        }
    }

    /// The repair of `validate --fix`.
    pub fn fix(&self) -> Option<Fix> {
        match self {
            Self::Untrusted {
                path,
                reason: Distrust::Writable(_),
            } => Some(Fix::MakePrivate(path.clone())),
            Self::ServerFile(problem) => problem.fix.clone(),
            _ => None,
        }
    }
}

/// The result of reading a folder.
pub(super) struct Outcome {
    pub(super) catalogue: Catalogue,
    /// The files of entries that exist but could not be read.
    pub(super) lost: Vec<PathBuf>,
    /// The filter of offered tools.
    pub(super) filter: Filter,
}

/// A folder that is being read.
pub(super) struct Reader<'a> {
    /// Without symbolic links.
    pub(super) root: PathBuf,
    pub(super) options: &'a ReadOptions,
    pub(super) problems: Vec<Problem>,
    pub(super) ignored: Vec<Ignored>,
    /// The settings of the server's file for every entry.
    pub(super) defaults: RunSettings,
    pub(super) lost: Vec<PathBuf>,
    /// Visited folders, by device and inode.
    pub(super) seen: HashSet<(u64, u64)>,
    pub(super) trust: Trust,
    /// The bytes of metadata read so far.
    pub(super) weight: u64,
    /// Looked-up interpreters, and whether they exist.
    pub(super) interpreters: Vec<(String, bool)>,
}

impl Catalogue {
    /// Reads a folder. Problems of entries are in `problems`; only problems of the folder itself are errors.
    pub fn read(root: &Path, options: &ReadOptions) -> Result<Self, FolderError> {
        Ok(Reader::open(root, options)?.read()?.catalogue)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn open(root: &Path, options: &'a ReadOptions) -> Result<Self, FolderError> {
        let unreadable = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                FolderError::NotAFolder {
                    path: root.to_owned(),
                }
            }
            _ => FolderError::Unreadable {
                path: root.to_owned(),
                source,
            },
        };
        let canonical = fs::canonicalize(root).map_err(unreadable)?;
        let metadata = fs::metadata(&canonical).map_err(unreadable)?;
        if !metadata.is_dir() {
            let path = root.to_owned();
            return Err(FolderError::NotAFolder { path });
        }
        fs::read_dir(&canonical).map_err(unreadable)?;
        let reader = Self {
            root: canonical,
            options,
            problems: Vec::new(),
            ignored: Vec::new(),
            defaults: options.defaults.clone(),
            lost: Vec::new(),
            seen: HashSet::from([(metadata.dev(), metadata.ino())]),
            trust: Trust::new(options.accept_writable),
            weight: 0,
            interpreters: Vec::new(),
        };
        trusted_root(&reader.trust, root, &reader.root)?;
        Ok(reader)
    }

    /// The catalogue, and the entries that could not be read.
    pub(super) fn read(mut self) -> Result<Outcome, FolderError> {
        let server = self.server()?;
        let tools = self.tools(&server.filter);
        let (prompts, mut completions) = self.prompts();
        let providers = self.providers();
        let schemes: Vec<_> = providers.iter().map(|p| p.scheme.clone()).collect();
        let mut readable = self.resources(&schemes);
        readable.resources.extend(self.skills());
        let resources = unique(
            &mut self,
            readable.resources,
            "resource",
            |r| &r.uri,
            |r| &r.source,
        );
        let templates = unique(
            &mut self,
            readable.templates,
            "template",
            |t| &t.uri_template,
            |t| &t.source,
        );
        let offered = |one: &Completion| templates.iter().any(|t| t.source == one.source);
        let own = readable.completions.into_iter().filter(offered);
        completions.extend(own.map(Arc::new));
        let targets = Targets {
            prompts: &prompts,
            templates: &templates,
        };
        self.completions(&targets, &mut completions);
        self.judge_helpers();
        self.ignore_strangers();
        let mut catalogue = Catalogue {
            root: self.root.clone(),
            server: server.info,
            tools,
            resources,
            templates,
            prompts,
            completions,
            providers,
            problems: Vec::new(),
            ignored: Vec::new(),
            program: None,
            page_size: server.page_size,
            concurrency: server.concurrency,
        };
        catalogue.problems = self.problems;
        catalogue.ignored = self.ignored;
        catalogue.sort_problems();
        Ok(Outcome {
            catalogue,
            lost: self.lost,
            filter: server.filter,
        })
    }

    pub(super) fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }

    pub(super) fn error(&mut self, path: &Path, text: String) -> &mut Problem {
        self.tell(Severity::Error, path, None, text)
    }

    pub(super) fn warn(&mut self, path: &Path, text: String) -> &mut Problem {
        self.tell(Severity::Warning, path, None, text)
    }

    pub(super) fn tell(
        &mut self,
        severity: Severity,
        path: &Path,
        line: Option<usize>,
        text: String,
    ) -> &mut Problem {
        let at = self.problems.len();
        self.problems.push(Problem {
            severity,
            path: path.to_owned(),
            line,
            text,
            hint: None,
            fix: None,
        });
        &mut self.problems[at]
    }

    /// Reports a problem at the position of a field.
    pub(super) fn tell_field(
        &mut self,
        severity: Severity,
        meta: &Meta,
        name: &str,
        item: &Item,
        text: String,
    ) -> &mut Problem {
        let (path, line) = match meta.place(name) {
            Some((path, line)) => (path.to_owned(), Some(line)),
            None => (item.shown.clone(), None),
        };
        self.tell(severity, &path, line, text)
    }

    /// The number of errors. An increase while an entry is read means that the entry is invalid.
    pub(super) fn errors(&self) -> usize {
        let errors = self.problems.iter();
        errors.filter(|p| p.severity == Severity::Error).count()
    }

    /// Records that an entry cannot be offered; its previous version may stay.
    pub(super) fn lose(&mut self, item: &Item) {
        self.lost.push(item.path.clone());
    }

    /// Warns about very many entries.
    pub(super) fn crowd(&mut self, folder: &str, count: usize) {
        if count >= MOST {
            let text = format!("more than {MOST} entries; the others are left out");
            self.error(Path::new(folder), text);
        } else if count > MANY {
            let text = format!("more than {MANY} entries");
            let hint = "clients and models work better with fewer".to_owned();
            self.warn(Path::new(folder), text).hint = Some(hint);
        }
    }
}

/// Whether only this user and root can change a folder, the folders above it and the links on its given path.
/// `root` is the folder without links.
pub fn trusted_root(trust: &Trust, given: &Path, root: &Path) -> Result<(), FolderError> {
    let given = std::path::absolute(given).map_err(|source| FolderError::Unreadable {
        path: given.to_owned(),
        source,
    })?;
    let walked = trust.walk(&given, root);
    match walked.and_then(|()| trust.walk(root, root)) {
        Ok(()) => Ok(()),
        Err(WalkError::Untrusted(untrusted)) if untrusted.path == root => {
            Err(FolderError::Untrusted {
                path: untrusted.path,
                reason: untrusted.why,
            })
        }
        Err(WalkError::Untrusted(untrusted)) => Err(FolderError::AboveUntrusted {
            folder: root.to_owned(),
            path: untrusted.path,
            reason: untrusted.why,
        }),
        Err(WalkError::Io { path, source }) => Err(FolderError::Unreadable { path, source }),
    }
}

impl Catalogue {
    pub(super) fn sort_problems(&mut self) {
        self.problems
            .sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    }
}

/// Sorts by name and keeps the first entry of each name.
pub(super) fn unique<T>(
    reader: &mut Reader<'_>,
    mut entries: Vec<T>,
    what: &str,
    name: impl Fn(&T) -> &str,
    source: impl Fn(&T) -> &Path,
) -> Vec<Arc<T>> {
    entries.sort_by(|a, b| (name(a), source(a)).cmp(&(name(b), source(b))));
    let mut kept: Vec<Arc<T>> = Vec::with_capacity(entries.len());
    for entry in entries {
        match kept.last() {
            Some(first) if name(first) == name(&entry) => {
                let taken = reader.relative(source(first));
                let shown = reader.relative(source(&entry));
                let text = format!(
                    "the {what} `{}` is already {}",
                    name(&entry),
                    taken.display()
                );
                let hint = "it is left out; rename one of them".to_owned();
                reader.warn(&shown, text).hint = Some(hint);
            }
            _ => kept.push(Arc::new(entry)),
        }
    }
    kept
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
