//! Files and folders as blocks, for `linkspan bcp encode src/ README.md`.
//!
//! Blocks are made one at a time, so that a large folder is never in memory as a whole. A file that cannot be
//! packed is reported with the reason, because a silent gap in a context is worse than no context.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use linkspan_bcp::{Block, Content, DocFormat, Limits};
use linkspan_wire::escape_line;

use crate::detect::{Form, NoText, detect, detect_nameless};
use crate::error::{BcpError, Result};
use crate::files::{DASH, Identity, Links, Refused, open_regular, read_bounded};
use crate::walk::Found;
use crate::{patch, tree, walk};

/// The default maximum size of a file from a folder. Larger texts are mostly generated, and would have a
/// quarter of a million tokens.
pub const MAX_FILE_SIZE: u64 = 1 << 20;

/// The maximum size of a content in a block, besides a name.
pub const LARGEST: u64 = Limits::BLOCK - (64 << 10);

/// Options for packing.
#[derive(Debug, Clone, Default)]
pub struct PackOptions {
    /// Whether hidden files are packed.
    pub hidden: bool,
    /// Whether files are packed that ignore files exclude.
    pub no_ignore: bool,
    /// The maximum size of a file. The default is [`MAX_FILE_SIZE`] for files in folders, and the capacity of
    /// a block for named files.
    pub max_file_size: Option<u64>,
    /// Whether a FILE_TREE block precedes the files of each folder.
    pub tree: bool,
    /// Files that must not be packed: those being written.
    pub skip: Vec<Identity>,
}

/// The result for a file.
#[derive(Debug)]
pub enum Item {
    /// It became a block.
    Packed(Packed),
    /// It was left out.
    LeftOut(LeftOut),
}

/// A block, and the file or folder it was made from.
#[derive(Debug)]
pub struct Packed {
    /// The block.
    pub block: Block<'static>,
    /// The path, as the block names it.
    pub path: String,
}

/// A file that did not become a block.
#[derive(Debug)]
pub struct LeftOut {
    /// The path, as a block would name it.
    pub path: String,
    /// The reason.
    pub why: Why,
    /// Whether the user named this file.
    pub named: bool,
}

/// A line for a warning.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", escape_line(&self.path), self.why)
    }
}

/// The maximum number of warnings for files in folders, as thousands may be left out.
const MENTIONED: u64 = 20;

/// Counts the left-out files in folders, and selects those to warn about.
#[derive(Debug, Default)]
pub struct LeftOutCount(u64);

impl LeftOutCount {
    /// Counts a file; returns whether to warn about it. Named files always get a warning.
    pub fn is_worth_a_warning(&mut self, file: &LeftOut) -> bool {
        self.0 += u64::from(!file.named);
        file.named || self.0 <= MENTIONED
    }

    /// The number of files without a warning.
    pub fn more(&self) -> u64 {
        self.0.saturating_sub(MENTIONED)
    }
}

/// Why a file is left out. `Display` completes a line like `logo.bin: binary`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is neither text in UTF-8 nor an image.
    NoText(NoText),
    /// It is too large.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// It cannot be read.
    Unreadable(String),
    /// It is a symbolic link.
    Link,
    /// It is a pipe, a socket or a device.
    NotAFile,
    /// A folder without a file to pack.
    Empty,
    /// A folder whose files were all packed with other inputs.
    Already,
    /// A folder whose tree is too large for a block; its files are packed.
    Tree,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoText(NoText::Binary) => write!(f, "binary"),
            Self::NoText(NoText::NotUtf8) => write!(f, "binary, or a text that is not in UTF-8"),
            Self::NoText(NoText::Utf16) => write!(f, "a text in UTF-16, not in UTF-8"),
            Self::TooLarge { limit } => write!(f, "more than {limit} bytes"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Link => write!(f, "a symbolic link"),
            Self::NotAFile => write!(f, "not a regular file"),
            Self::Empty => write!(f, "nothing in it that is not hidden or ignored"),
            Self::Already => write!(f, "all of it is packed already"),
            Self::Tree => write!(f, "its tree is too large for a block"),
        }
    }
}

/// Packs one file after the other.
pub struct Pack {
    options: PackOptions,
    /// The reader of the input `-`.
    stdin: Box<dyn Read>,
    inputs: std::vec::IntoIter<PathBuf>,
    /// The files of the current input.
    found: std::vec::IntoIter<Found>,
    ready: VecDeque<Item>,
    /// The resolved paths of all files so far: a file that two inputs refer to is packed once.
    seen: HashSet<PathBuf>,
    /// The current folder: as given, and resolved.
    root: (PathBuf, PathBuf),
}

/// The name of stdin in blocks.
const STDIN: &str = "stdin";

impl Pack {
    /// All inputs must exist, so that a mistyped name fails before anything is written. The input `-` reads
    /// `stdin`.
    pub fn new(inputs: Vec<PathBuf>, options: PackOptions, stdin: Box<dyn Read>) -> Result<Self> {
        for input in inputs.iter().filter(|input| !is_stdin(input)) {
            std::fs::metadata(input).map_err(|error| BcpError::Input {
                path: input.clone(),
                error,
            })?;
        }
        Ok(Self {
            options,
            stdin,
            inputs: inputs.into_iter(),
            found: Vec::new().into_iter(),
            ready: VecDeque::new(),
            seen: HashSet::new(),
            root: Default::default(),
        })
    }

    fn begin(&mut self, input: PathBuf) {
        if is_stdin(&input) || !input.is_dir() {
            let named = Found {
                path: input,
                size: 0,
                trouble: None,
                named: true,
            };
            self.found = vec![named].into_iter();
            return;
        }
        // Links inside the folder are not followed, so only its own path has to be resolved.
        let real = std::fs::canonicalize(&input).unwrap_or_else(|_| plain(&input));
        self.root = (input.clone(), real);
        let mut found = walk::folder(&input, &self.options);
        let nothing = if found.is_empty() {
            Why::Empty
        } else {
            Why::Already
        };
        found.retain(|file| !self.seen.contains(&self.real(file)));
        if found.is_empty() {
            self.leave_out(&input, nothing, true);
        } else if self.options.tree {
            match tree::block(&input, &found) {
                Some(block) => self.add(block, shown(&input)),
                None => self.leave_out(&input, Why::Tree, true),
            }
        }
        self.found = found.into_iter();
    }

    fn take(&mut self, file: Found) {
        if !self.seen.insert(self.real(&file)) || walk::is_output(&file.path, &self.options) {
            return;
        }
        let stdin = file.named && is_stdin(&file.path);
        let path = if stdin {
            STDIN.to_owned()
        } else {
            shown(&file.path)
        };
        let made = match file.trouble {
            Some(why) => Err(why),
            None if stdin => self
                .read_stdin()
                .and_then(|content| blocks(&path, content, |_, text| detect_nameless(text))),
            None => self
                .read(&file)
                .and_then(|content| blocks(&path, content, detect)),
        };
        match made {
            Ok(blocks) => {
                for block in blocks {
                    self.add(block, path.clone());
                }
            }
            Err(why) => self.leave_out(&file.path, why, file.named),
        }
    }

    /// The path of a file with all links resolved.
    fn real(&self, file: &Found) -> PathBuf {
        if file.named {
            let real = std::fs::canonicalize(&file.path);
            return real.unwrap_or_else(|_| plain(&file.path));
        }
        let (root, real) = &self.root;
        let inside = file.path.strip_prefix(root);
        inside.map_or_else(|_| plain(&file.path), |inside| real.join(inside))
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, Why> {
        let limit = self.options.max_file_size.unwrap_or(LARGEST).min(LARGEST);
        read_bounded(&mut self.stdin, 0, limit)
            .map_err(|e| Why::Unreadable(e.to_string()))?
            .ok_or(Why::TooLarge { limit })
    }

    fn read(&self, file: &Found) -> Result<Vec<u8>, Why> {
        let (links, default) = if file.named {
            (Links::Follow, LARGEST)
        } else {
            (Links::Refuse, MAX_FILE_SIZE)
        };
        let limit = self.options.max_file_size.unwrap_or(default).min(LARGEST);
        let unreadable = |e: std::io::Error| Why::Unreadable(e.to_string());
        let (opened, meta) = open_regular(&file.path, links).map_err(|refused| match refused {
            Refused::NotAFile => Why::NotAFile,
            Refused::Io(e) => unreadable(e),
        })?;
        if meta.len() > limit {
            return Err(Why::TooLarge { limit });
        }
        read_bounded(opened, meta.len(), limit)
            .map_err(unreadable)?
            .ok_or(Why::TooLarge { limit })
    }

    fn add(&mut self, block: Block<'static>, path: String) {
        self.ready.push_back(Item::Packed(Packed { block, path }));
    }

    fn leave_out(&mut self, path: &Path, why: Why, named: bool) {
        let path = if named && is_stdin(path) {
            STDIN.to_owned()
        } else {
            shown(path)
        };
        self.ready
            .push_back(Item::LeftOut(LeftOut { path, why, named }));
    }
}

impl Iterator for Pack {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if let Some(file) = self.found.next() {
                self.take(file);
            } else {
                let input = self.inputs.next()?;
                self.begin(input);
            }
        }
    }
}

/// Whether the input is `-`; a file of that name is written as `./-`.
fn is_stdin(input: &Path) -> bool {
    input == Path::new(DASH)
}

/// Detects the form of a file by its name and content.
type Detect = fn(&str, &[u8]) -> Result<Form, NoText>;

/// The blocks of a file: one, or for a diff one per changed file.
fn blocks(path: &str, content: Vec<u8>, detect: Detect) -> Result<Vec<Block<'static>>, Why> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let title = path.to_owned().into();
    let one = match detect(name, &content).map_err(Why::NoText)? {
        Form::Code(lang) => Content::Code {
            lang: Form::lang(lang),
            path: title,
            content: content.into(),
            lines: None,
        },
        Form::Document(format) => Content::Document {
            title,
            content: content.into(),
            format,
        },
        Form::Data(format) => {
            let data = Content::StructuredData {
                format,
                schema: None,
                content: content.into(),
            };
            // Data has no path; a short summary is shown as its name.
            return Ok(vec![Block {
                summary: Some(title),
                content: data,
            }]);
        }
        Form::Image(media) => Content::Image {
            media,
            alt: title,
            data: content.into(),
        },
        Form::Diff => match diffs(&content) {
            Some(blocks) => return Ok(blocks),
            None => Content::Document {
                title,
                content: content.into(),
                format: DocFormat::Plain,
            },
        },
    };
    Ok(vec![one.into()])
}

fn diffs(content: &[u8]) -> Option<Vec<Block<'static>>> {
    let changes = patch::take_apart(std::str::from_utf8(content).ok()?)?;
    let block = |change: patch::Change| {
        let diff = Content::Diff {
            path: change.path.into(),
            hunks: change.hunks,
        };
        (change.size <= LARGEST).then(|| diff.into())
    };
    changes.into_iter().map(block).collect()
}

/// A path without `./`.
fn plain(path: &Path) -> PathBuf {
    let here = |component: &Component<'_>| *component == Component::CurDir;
    path.components().filter(|c| !here(c)).collect()
}

/// A path as blocks contain it: as given, but with `/` on every system and without `./`.
pub(crate) fn shown(path: &Path) -> String {
    let path = plain(path);
    if path.as_os_str().is_empty() {
        return ".".to_owned();
    }
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => text.into_owned(),
        other => text.replace(other, "/"),
    }
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
