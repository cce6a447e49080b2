//! The two parts of each message: the problem and the hint.

use std::io::{self, ErrorKind};

use linkspan_bcp::{Failed, Reason};

use super::{BcpError, path_name};
use crate::access;
use crate::files::Denied;

impl BcpError {
    /// The problem.
    pub fn problem(&self) -> String {
        match self {
            Self::Read { name, error } => format!("cannot read {name}: {}", unread(error)),
            Self::StreamTooLong { name, limit } => {
                format!("{name} has more than {} MiB", limit >> 20)
            }
            Self::Input { path, error } => {
                let why = match error.kind() {
                    ErrorKind::NotFound => "there is no such file or folder".to_owned(),
                    _ => error.to_string(),
                };
                format!("cannot read {}: {why}", path_name(path))
            }
            Self::SameFile(path) => {
                format!("{} is an input, and --output as well", path_name(path))
            }
            Self::Create { name, error } => format!("cannot write {name}: {}", uncreated(error)),
            Self::Write { name, error, .. } => format!("cannot write {name}: {error}"),
            Self::Print(error) => format!("cannot write the text: {error}"),
            Self::File { name, error } => format!("{name}: {error}"),
            Self::NothingDecoded {
                name,
                blocks: Some(blocks),
                failed,
            } if **failed == Failed::Nothing => {
                let blocks: Vec<String> = blocks.iter().map(u64::to_string).collect();
                format!("{name}: there is no block {} to render", blocks.join(", "))
            }
            Self::NothingDecoded { name, failed, .. } | Self::NothingRead { name, failed } => {
                format!("{name}: {failed}")
            }
            Self::NoBlock { name, block, .. } => format!("{name}: there is no block {block}"),
            Self::Budget { name, left_out } => {
                format!("{name}: none of its {left_out} blocks fits into the budget")
            }
            Self::Encode(error) => error.to_string(),
            Self::Store(error) => format!("cannot use the folder of --store: {error}"),
            Self::Manifest { name, error } => format!("{name}: {error}"),
            Self::NotAManifest { name, error } => format!("{name} is not a manifest: {error}"),
            Self::NamedFile { name, denied } => named(name, denied),
            Self::NamedFileTooLarge { name, limit } => {
                format!("{name} has more than {limit} bytes, which is the limit")
            }
            Self::Root { folder, error } => format!("--root {}: {error}", folder.display()),
            Self::Denied {
                path,
                write,
                denied,
                folders,
            } => access::refusal(path, *write, denied, folders),
            Self::NamesOutside(error) => error.problem(),
            Self::UnknownTool(name) => format!("unknown tool: {name}"),
            Self::Argument(problem) => problem.clone(),
            Self::Late(limit) => format!(
                "took longer than {} s and was stopped: use a smaller file, or raise \
                 BCP_CLI_TIMEOUT_MS",
                limit.as_secs_f64()
            ),
            Self::TextTooLong(bytes) => format!(
                "the rendered text has {bytes} bytes, and {} is the most: set `budget` to get a \
                 part of it",
                crate::engine::MOST_TEXT
            ),
            Self::Replaced => "the file was replaced while it was read".to_owned(),
            Self::Stopped => "stopped".to_owned(),
            Self::Panicked => {
                "a bug in linkspan ended this call, and nothing was done: please report it"
                    .to_owned()
            }
        }
    }

    /// The hint, if the problem does not imply it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { name, error } => return unread_hint(name, error),
            Self::StreamTooLong { .. } => {
                "write it into a file first; a file may be larger than what is piped in"
            }
            Self::Input { .. } => "check the path; nothing was written",
            Self::SameFile(_) => "write to another file; nothing was changed",
            Self::Create { error, .. } => return uncreated_hint(error).map(str::to_owned),
            Self::Write { atomic: true, .. } => "is the disk full? nothing was left behind",
            Self::Write { .. } => "is the disk full? what was written is not all of it",
            Self::Print(_) => "what was written is not all of it",
            Self::File { error, .. } => damaged_hint(&error.reason),
            Self::NothingDecoded {
                blocks: Some(_),
                failed,
                ..
            } if **failed == Failed::Nothing => "`linkspan bcp inspect` shows their numbers",
            Self::NothingDecoded { .. } => "`linkspan bcp inspect` shows what is in it",
            Self::NoBlock { blocks, .. } => {
                return Some(format!("there are {blocks}, counted from 0"));
            }
            Self::Budget { .. } => "ask for more tokens, or leave `budget` out",
            Self::Encode(error) => match error.reason {
                Reason::NoBlocks => "give at least one block, file or folder",
                Reason::TooLarge { .. } => "cut the content into several blocks",
                _ => return None,
            },
            Self::Store(_) => {
                "it must be a folder that may be read and written, on a disk with room"
            }
            Self::Manifest { .. } => {
                "`linkspan bcp encode --help` shows what a manifest looks like"
            }
            Self::NotAManifest { name, .. } => {
                return Some(format!(
                    "to pack the file itself: linkspan bcp encode --as-files {name} -o context.bcp"
                ));
            }
            Self::Root { .. } => "it must be a folder that exists",
            Self::NamesOutside(error) => return error.hint(),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

fn unread(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn unread_hint(name: &str, error: &io::Error) -> Option<String> {
    match error.kind() {
        ErrorKind::NotFound => Some("check the path; `-` reads from stdin".to_owned()),
        ErrorKind::IsADirectory => Some(format!(
            "`linkspan bcp encode {name} -o ctx.bcp` packs a folder into a file"
        )),
        ErrorKind::PermissionDenied => Some("check who may read the file".to_owned()),
        _ => None,
    }
}

fn uncreated(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "its folder does not exist".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn uncreated_hint(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::NotFound => Some("make the folder first, or choose another"),
        ErrorKind::IsADirectory => Some("give the name of a file, for example ctx.bcp"),
        ErrorKind::PermissionDenied => {
            Some("the file and its folder must be writable: a new file is made there and renamed")
        }
        _ => None,
    }
}

fn named(name: &str, denied: &Denied) -> String {
    match denied {
        Denied::Outside => {
            format!("{name} is outside the manifest's folder; --allow-outside permits it")
        }
        Denied::Closed => format!("cannot read {name}: its folder is closed"),
        Denied::Folder | Denied::Special | Denied::Link => {
            format!("cannot read {name}: it is not a regular file")
        }
        Denied::Changed => format!("cannot read {name}: it changed while it was opened"),
        Denied::Io(error) if error.kind() == ErrorKind::NotFound => {
            format!("cannot read {name}: there is no such file, seen from the manifest's folder")
        }
        Denied::Io(error) => format!("cannot read {name}: {error}"),
    }
}

fn damaged_hint(reason: &Reason) -> &'static str {
    match reason {
        Reason::Magic => {
            "`linkspan bcp encode` makes a BCP file of a manifest, of files or folders"
        }
        Reason::Version(..) => "a newer linkspan may be able to read it",
        Reason::Truncated { .. } | Reason::NoEnd => "the file is cut off: fetch or make it again",
        Reason::Unresolved(_) => "--store DIR names the folder that has these contents",
        Reason::TooLarge { .. } | Reason::TooMany(_) | Reason::TooDeep(_) => {
            "nothing beyond the limits is read, because a small file could ask for all memory"
        }
        Reason::Io(..) => "is the disk full, or was the file removed?",
        _ => "the file is damaged: fetch or make it again",
    }
}
