//! Files and folders, as blocks: what `linkspan bcp encode src/ README.md` packs.
//!
//! Blocks come one at a time, so that a large folder is never in memory as a whole. What cannot be
//! packed comes along with the reason, because a context with a hole that nobody knows of is worse
//! than none.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::path::{Component, Path, PathBuf};

use linkspan_bcp::{Block, Content, DocFormat, Limits};

use linkspan_bcp_tools::detect::{Form, NoText, detect, detect_nameless};
use super::files::{DASH, Identity, Links, Refused, open_regular, read_bounded};
use super::walk::Found;
use super::{tree, walk};
use linkspan_bcp_tools::patch;
use crate::exit::{Exit, Failure};
use crate::show;
use crate::waiting;

/// The largest file that is taken from a folder unless the user says otherwise. Larger texts are
/// mostly generated, and no model wants a quarter of a million tokens of one.
pub(crate) const MAX_FILE_SIZE: u64 = 1 << 20;

/// The most that fits into a block beside a name.
pub(crate) const LARGEST: u64 = Limits::BLOCK - (64 << 10);

/// What to pack, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Hidden files too.
    pub(crate) hidden: bool,
    /// Also what ignore files name.
    pub(crate) no_ignore: bool,
    /// Larger files are left out. If it is not said, that is [`MAX_FILE_SIZE`] for files of
    /// folders, and what a block can hold for those that were named.
    pub(crate) max_file_size: Option<u64>,
    /// A FILE_TREE block before the files of each folder.
    pub(crate) tree: bool,
    /// Files that must not be packed: those that we are writing.
    pub(crate) skip: Vec<Identity>,
}

/// What became of a file.
#[derive(Debug)]
pub(crate) enum Item {
    Packed(Packed),
    LeftOut(LeftOut),
}

/// A block, and the file or folder that it was made from.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) block: Block<'static>,
    pub(crate) path: String,
}

/// A file that became no block.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) path: String,
    pub(crate) why: Why,
    /// Whether the user named it, and so surely wanted it.
    pub(crate) named: bool,
}

/// Why a file is left out. Its text is for people: `logo.bin: binary`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    NoText(NoText),
    TooLarge {
        limit: u64,
    },
    Unreadable(String),
    Link,
    NotAFile,
    /// A folder with nothing in it that could be packed.
    Empty,
    /// A folder with nothing in it that did not come with another input.
    Already,
    /// A folder whose tree is more than a block can hold; its files are packed.
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

/// Packs one thing after the other.
#[derive(Debug)]
pub(crate) struct Pack {
    options: Options,
    inputs: std::vec::IntoIter<PathBuf>,
    /// The files of the input that we are at.
    found: std::vec::IntoIter<Found>,
    ready: VecDeque<Item>,
    /// A file that two inputs lead to is packed once: the real paths of those that were met.
    seen: HashSet<PathBuf>,
    /// The folder that we are at: as it was given, and its real path.
    root: (PathBuf, PathBuf),
}

/// What stdin is called in blocks.
const STDIN: &str = "stdin";

impl Pack {
    /// Everything must exist, so that a mistyped name is noticed before anything is written.
    pub(crate) fn new(inputs: Vec<PathBuf>, options: Options) -> Result<Self, Failure> {
        for input in inputs.iter().filter(|input| !is_stdin(input)) {
            std::fs::metadata(input).map_err(|e| {
                let why = match e.kind() {
                    std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
                    _ => e.to_string(),
                };
                let what = format!("cannot read {}: {why}", show::path(input));
                Failure::new(Exit::Invalid, what).hint("check the path; nothing was written")
            })?;
        }
        Ok(Self {
            options,
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
        // Links are not followed in it, so that only its own path has to be made real.
        let real = std::fs::canonicalize(&input).unwrap_or_else(|_| plain(&input));
        self.root = (input.clone(), real);
        let mut found = walk::folder(&input, &self.options);
        let nothing = match found.is_empty() {
            true => Why::Empty,
            false => Why::Already,
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
        let path = match stdin {
            true => STDIN.to_owned(),
            false => shown(&file.path),
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

    /// Where a file really is, whatever led there.
    fn real(&self, file: &Found) -> PathBuf {
        if file.named {
            let real = std::fs::canonicalize(&file.path);
            return real.unwrap_or_else(|_| plain(&file.path));
        }
        let (root, real) = &self.root;
        let inside = file.path.strip_prefix(root);
        inside.map_or_else(|_| plain(&file.path), |inside| real.join(inside))
    }

    fn read_stdin(&self) -> Result<Vec<u8>, Why> {
        let limit = self.options.max_file_size.unwrap_or(LARGEST).min(LARGEST);
        read_bounded(
            waiting::stdin(
                "the content of a file",
                "linkspan bcp encode FILE -o ctx.bcp",
            ),
            0,
            limit,
        )
        .map_err(|e| Why::Unreadable(e.to_string()))?
        .ok_or(Why::TooLarge { limit })
    }

    fn read(&self, file: &Found) -> Result<Vec<u8>, Why> {
        let (links, default) = match file.named {
            true => (Links::Follow, LARGEST),
            false => (Links::Refuse, MAX_FILE_SIZE),
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
        let path = match named && is_stdin(path) {
            true => STDIN.to_owned(),
            false => shown(path),
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

/// `-`; a file of that name is called `./-`.
fn is_stdin(input: &Path) -> bool {
    input == Path::new(DASH)
}

/// Says what a content is, by that and its name.
type Detect = fn(&str, &[u8]) -> Result<Form, NoText>;

/// The blocks of one file: one, or one for each file that a diff changes.
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
            // Data has no path of its own; a short summary is shown as its name.
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

/// A path without `./`, so that it is the same however it was given.
fn plain(path: &Path) -> PathBuf {
    let here = |component: &Component<'_>| *component == Component::CurDir;
    path.components().filter(|c| !here(c)).collect()
}

/// A path as it stands in blocks: as it was given, but with `/` on every system and no `./`.
pub(super) fn shown(path: &Path) -> String {
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
