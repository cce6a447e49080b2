//! What a folder offers at one moment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_schema::Schema;
use serde_json::Value;

use super::settings::{Mode, RunSettings};

/// Everything in a folder. It never changes; when the folder does, a new one takes its place.
#[derive(Debug)]
pub struct Catalogue {
    /// The folder, without symbolic links.
    pub root: PathBuf,
    /// Who the server says that it is.
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
    /// One for each scheme.
    pub providers: Vec<Arc<Provider>>,
    /// What was left out or looks wrong, sorted by path and line.
    pub problems: Vec<Problem>,
    /// Files and folders that nothing is made of, in the order in which they were found.
    pub ignored: Vec<Ignored>,
    /// The program whose conventions the folder follows, if they are not linkspan's.
    pub program: Option<&'static str>,
    /// Entries of one page of a list.
    pub page_size: usize,
    /// Calls of all clients that run at once.
    pub concurrency: usize,
}

/// Who the server says that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerInfo {
    /// The `serverInfo` of `initialize`: name, version, and title, description, websiteUrl, icons if there are any.
    pub shown: Value,
    /// For the model.
    pub instructions: Option<String>,
    /// The server's file as it was read.
    pub metadata: Value,
}

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// What clients call it.
    pub name: String,
    /// The tool as the last legacy revision lists it.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// What runs.
    pub program: Program,
    /// How it runs.
    pub mode: Mode,
    /// What arguments must look like; `None` takes any object.
    pub input: Option<Arc<Schema>>,
    /// What structured results must look like.
    pub output: Option<Arc<Schema>>,
    /// Within which bounds it runs.
    pub run: RunSettings,
    /// Its metadata as it was read.
    pub metadata: Value,
}

/// What runs. Never a line for a shell.
#[derive(Debug, Clone, PartialEq)]
pub enum Program {
    /// These words. The first is a path, or looked up in `PATH` if it has no slash.
    Argv(Vec<OsString>),
    /// Words with `{{name}}` in them, filled in from the arguments; a word that is nothing but the
    /// name of an argument that was not given is left out.
    Template(Vec<String>),
}

impl Program {
    /// The files that run besides the program itself: every further word that names a file in `root`, for
    /// example the script of an interpreter. Words that are filled in are no code.
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

/// Something to read.
#[derive(Debug)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// The resource as it is listed.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// Where its contents come from.
    pub read: Read,
    /// Within which bounds it runs.
    pub run: RunSettings,
    /// The state of its file; a different state means different contents.
    pub stamp: Option<Stamp>,
}

/// The state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// When it was last written, in seconds and nanoseconds.
    pub modified: (i64, i64),
    /// Its inode; a file that replaces another has a different one.
    pub inode: u64,
}

/// Where the contents of a resource come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// A file as it is.
    File(PathBuf),
    /// What a program prints.
    Run(Program),
    /// The provider of a scheme, given the URI.
    Provider(String),
    /// A text in the metadata.
    Text(String),
}

/// Many things to read, by a pattern.
#[derive(Debug)]
pub struct Template {
    /// RFC 6570.
    pub uri_template: String,
    /// The template as it is listed.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// Where its contents come from.
    pub read: Read,
    /// Within which bounds it runs.
    pub run: RunSettings,
}

/// A prompt.
#[derive(Debug)]
pub struct Prompt {
    /// What clients call it.
    pub name: String,
    /// The prompt as it is listed.
    pub shown: Value,
    /// Its file.
    pub source: PathBuf,
    /// What it takes.
    pub arguments: Vec<Argument>,
    /// What it says.
    pub body: PromptBody,
    /// Within which bounds it runs.
    pub run: RunSettings,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it must be given.
    pub required: bool,
    /// What stands for it if it is not given.
    pub default: Option<String>,
}

/// What a prompt says.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptBody {
    /// Messages with `{{name}}` in them.
    Messages(Vec<(Role, String)>),
    /// What a program prints.
    Run(Program),
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// How an argument is completed.
#[derive(Debug)]
pub struct Completion {
    /// What has the argument.
    pub target: CompletionTarget,
    /// Its name.
    pub argument: String,
    /// Its file.
    pub source: PathBuf,
    /// Where values come from.
    pub values: Values,
    /// Within which bounds it runs.
    pub run: RunSettings,
}

/// What has an argument that can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionTarget {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template.
    Resource(String),
}

/// Where values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// A list; those that begin with what was typed are offered.
    Static(Vec<String>),
    /// What a program prints.
    Run(Program),
}

/// Reads every URI of a scheme.
#[derive(Debug)]
pub struct Provider {
    /// The scheme, without the colon.
    pub scheme: String,
    /// Its file.
    pub source: PathBuf,
    /// Gets the URI as its last word.
    pub program: Program,
    /// Within which bounds it runs.
    pub run: RunSettings,
}

/// Something that the author should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Whether something is missing from the catalogue because of it.
    pub severity: Severity,
    /// Relative to the root.
    pub path: PathBuf,
    /// Counted from one.
    pub line: Option<usize>,
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub hint: Option<String>,
    /// What `validate --fix` would do.
    pub fix: Option<Fix>,
}

/// A file or folder that nothing is made of. That is no mistake, but its author may have meant otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Relative to the root.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The entry is left out.
    Error,
    /// The entry is there, but perhaps not as it was meant.
    Warning,
}

/// What can be mended without a human.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Let its owner execute the file.
    MakeExecutable(PathBuf),
    /// Take write access from all users but the owner.
    MakePrivate(PathBuf),
}
