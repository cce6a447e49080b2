//! The entries of a folder at one moment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_schema::Schema;
use serde_json::Value;

use super::settings::{Mode, RunSettings};

/// All entries of a folder. Immutable; a change of the folder gives a new catalogue.
#[derive(Debug)]
pub struct Catalogue {
    /// The folder, without symbolic links.
    pub root: PathBuf,
    /// The identity of the server.
    pub server: ServerInfo,
    /// Sorted by name, then path; names are unique.
    pub tools: Vec<Arc<Tool>>,
    /// Sorted by URI.
    pub resources: Vec<Arc<Resource>>,
    /// Sorted by URI template.
    pub templates: Vec<Arc<Template>>,
    /// Sorted by name.
    pub prompts: Vec<Arc<Prompt>>,
    /// In the order of their files.
    pub completions: Vec<Arc<Completion>>,
    /// One per scheme.
    pub providers: Vec<Arc<Provider>>,
    /// Problems of the folder, sorted by path and line.
    pub problems: Vec<Problem>,
    /// Files and folders that are not used, in the order in which they were found.
    pub ignored: Vec<Ignored>,
    /// The program whose conventions the folder follows, if not linkspan's.
    pub program: Option<&'static str>,
    /// Entries per page of a list.
    pub page_size: usize,
    /// Limit of concurrent calls of all clients.
    pub concurrency: usize,
}

/// The identity of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerInfo {
    /// The `serverInfo` of `initialize`: name, version, and title, description, websiteUrl, icons if there are any.
    pub shown: Value,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// The server's file as it was read.
    pub metadata: Value,
}

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name for clients.
    pub name: String,
    /// The tool as the last legacy revision lists it.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// What runs.
    pub program: Program,
    /// Its mode.
    pub mode: Mode,
    /// The schema of arguments; `None` accepts any object.
    pub input: Option<Arc<Schema>>,
    /// What structured results must look like.
    pub output: Option<Arc<Schema>>,
    /// The settings of a run.
    pub run: RunSettings,
    /// Its metadata as it was read.
    pub metadata: Value,
}

/// A command line. Never run through a shell.
#[derive(Debug, Clone, PartialEq)]
pub enum Program {
    /// Fixed words. The first is a path, or looked up in `PATH` if it has no slash.
    Argv(Vec<OsString>),
    /// Words with placeholders `{{name}}` for arguments. A word that is only a placeholder is omitted if the
    /// argument is missing.
    Template(Vec<String>),
}

impl Program {
    /// The files that run besides the program itself: every further word that names a file in `root`, for
    /// example the script of an interpreter. Words with placeholders are no code.
    pub(crate) fn files(&self, cwd: &Path, root: &Path) -> Vec<PathBuf> {
        let words: Vec<&OsStr> = match self {
            Self::Argv(words) => words.iter().map(OsString::as_os_str).collect(),
            Self::Template(words) => {
                let constant = |word: &&String| !word.contains("{{");
                let words = words.iter().filter(constant);
                words.map(OsStr::new).collect()
            }
        };
        let files = words.into_iter().skip(1).map(|word| cwd.join(word));
        files
            .filter(|path| path.starts_with(root) && path.is_file())
            .collect()
    }
}

/// A resource.
#[derive(Debug)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its entry in the list.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// The source of its contents.
    pub read: Read,
    /// The settings of a run.
    pub run: RunSettings,
    /// The state of its file; a different state means different contents.
    pub stamp: Option<Stamp>,
}

/// The state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// The modification time, in seconds and nanoseconds.
    pub modified: (i64, i64),
    /// The inode; a file that replaces another has a different one.
    pub inode: u64,
}

/// The source of a resource's contents.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// A file.
    File(PathBuf),
    /// The output of a program.
    Run(Program),
    /// The provider of a scheme, which gets the URI.
    Provider(String),
    /// A text in the metadata.
    Text(String),
}

/// A resource template.
#[derive(Debug)]
pub struct Template {
    /// RFC 6570.
    pub uri_template: String,
    /// Its entry in the list.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// The source of its contents.
    pub read: Read,
    /// The settings of a run.
    pub run: RunSettings,
}

/// A prompt.
#[derive(Debug)]
pub struct Prompt {
    /// Its name for clients.
    pub name: String,
    /// Its entry in the list.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The source of its messages.
    pub body: PromptBody,
    /// The settings of a run.
    pub run: RunSettings,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it is required.
    pub required: bool,
    /// The value if it is missing.
    pub default: Option<String>,
}

/// The source of a prompt's messages.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptBody {
    /// Messages with `{{name}}` in them.
    Messages(Vec<(Role, String)>),
    /// The output of a program.
    Run(Program),
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The completion of one argument.
#[derive(Debug)]
pub struct Completion {
    /// The prompt or template with the argument.
    pub target: CompletionTarget,
    /// Its name.
    pub argument: String,
    /// Its file.
    pub source: PathBuf,
    /// The source of the values.
    pub values: Values,
    /// The settings of a run.
    pub run: RunSettings,
}

/// A prompt or template with a completed argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionTarget {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template.
    Resource(String),
}

/// The source of completion values.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// A list, filtered by the prefix typed so far.
    Static(Vec<String>),
    /// The output of a program.
    Run(Program),
}

/// Reads every URI of a scheme.
#[derive(Debug)]
pub struct Provider {
    /// The scheme, without the colon.
    pub scheme: String,
    /// Its file.
    pub source: PathBuf,
    /// The URI is appended to its words.
    pub program: Program,
    /// The settings of a run.
    pub run: RunSettings,
}

/// A problem for the author of the folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Whether an entry is missing because of it.
    pub severity: Severity,
    /// Relative to the root.
    pub path: PathBuf,
    /// Counted from 1.
    pub line: Option<usize>,
    /// The description.
    pub text: String,
    /// What the author can do.
    pub hint: Option<String>,
    /// The repair of `validate --fix`.
    pub fix: Option<Fix>,
}

/// A file or folder that is not used. That is no problem, but may not be what the author intended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Relative to the root.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The entry is left out.
    Error,
    /// The entry is offered, but perhaps not as intended.
    Warning,
}

/// A repair that needs no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Let its owner execute the file.
    MakeExecutable(PathBuf),
    /// Removes write permission of all users but the owner.
    MakePrivate(PathBuf),
}
