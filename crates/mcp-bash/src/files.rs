//! The files through which a tool and its server communicate, in one folder per call.
//!
//! Progress and log are named pipes: lines that a tool appends arrive at once.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::os::{DirBuilderExt, OpenOptionsExt};

/// Limit for reading a file that a tool wrote.
const LARGEST: u64 = 16 << 20;

/// The files of one call, removed on drop.
#[derive(Debug)]
pub struct CallFiles {
    folder: PathBuf,
    keep: bool,
}

impl CallFiles {
    /// Creates the files in a new private folder.
    pub fn create(parent: &Path) -> io::Result<Self> {
        let folder = parent.join(format!("call-{:016x}", RandomState::new().hash_one(0)));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let files = Self {
            folder,
            keep: false,
        };
        for path in [files.error(), files.resources()] {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)?;
        }
        pipe(&files.progress())?;
        pipe(&files.log())?;
        Ok(files)
    }

    /// Keeps the files for debugging.
    pub fn keep(&mut self) {
        self.keep = true;
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file in which a tool reports an error.
    pub fn error(&self) -> PathBuf {
        self.folder.join("error")
    }

    /// The file in which a tool lists resources to embed into its result.
    pub fn resources(&self) -> PathBuf {
        self.folder.join("resources")
    }

    /// The named pipe for progress.
    pub fn progress(&self) -> PathBuf {
        self.folder.join("progress")
    }

    /// The named pipe for logs.
    pub fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// The file that exists once the call is cancelled.
    pub fn cancel_file(&self) -> PathBuf {
        self.folder.join("cancelled")
    }

    /// The file in which a tool asks the client a question.
    pub fn question(&self) -> PathBuf {
        self.folder.join("elicit.request")
    }

    /// The file in which the client's answer is stored.
    pub fn answer_file(&self) -> PathBuf {
        self.folder.join("elicit.response")
    }

    /// The debug log of a tool.
    pub fn debug_log(&self) -> PathBuf {
        self.folder.join("debug.log")
    }

    /// Puts a text into a file.
    pub fn payload(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(name.to_ascii_lowercase());
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Creates the cancel file, before the tool gets a signal.
    pub fn cancel(&self) {
        let _ = File::create(self.cancel_file());
        if self.question().exists() {
            let _ = self.answer(r#"{"action":"cancel","content":null}"#);
        }
    }

    /// The error that the tool reported, if any.
    pub fn said_error(&self) -> Option<String> {
        said(&self.error())
    }

    /// The resources that the tool wants to embed.
    pub fn said_resources(&self) -> Option<String> {
        said(&self.resources())
    }

    /// The tool's question, if there is one; removes it, so that it is asked once.
    pub fn asked(&self) -> Option<Question> {
        let path = self.question();
        let text = said(&path)?;
        let _ = fs::remove_file(&path);
        Question::parse(&text)
    }

    /// Writes the client's answer atomically.
    pub fn answer(&self, json: &str) -> io::Result<()> {
        let path = self.answer_file();
        let half = path.with_extension("half");
        fs::write(&half, json)?;
        fs::rename(half, path)
    }
}

impl Drop for CallFiles {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

#[cfg(target_os = "linux")]
fn pipe(path: &Path) -> io::Result<()> {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, mode)?)
}

/// Without named pipes, a plain file that is read when the tool has ended.
#[cfg(not(target_os = "linux"))]
fn pipe(path: &Path) -> io::Result<()> {
    File::create(path).map(drop)
}

fn said(path: &Path) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_file() || meta.len() == 0 || meta.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A question of a tool for the client.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// A form.
    Form {
        /// The message of the question.
        message: String,
        /// The schema of the form.
        schema: Value,
    },
    /// A URL to open.
    Url {
        /// The message of the question.
        message: String,
        /// Where.
        url: String,
    },
}

/// The answer if the client does not support the kind of question.
pub const DECLINED: &str = r#"{"action":"decline","content":null}"#;

impl Question {
    fn parse(text: &str) -> Option<Self> {
        let asked: Value = serde_json::from_str(text).ok()?;
        let get = |name: &str| asked.get(name).and_then(Value::as_str);
        let message = get("message").unwrap_or_default().to_owned();
        if get("mode") == Some("url") {
            let url = get("url").unwrap_or_default().to_owned();
            return Some(Self::Url { message, url });
        }
        let schema = asked.get("schema").filter(|s| s.is_object()).cloned();
        let schema = schema.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
        Some(Self::Form { message, schema })
    }

    /// The parameters of `elicitation/create`.
    pub fn params(&self) -> String {
        match self {
            Self::Form { message, schema } => {
                json!({"mode": "form", "message": message, "requestedSchema": schema})
            }
            Self::Url { message, url } => json!({"mode": "url", "message": message, "url": url}),
        }
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};

    #[test]
    fn call_files_are_private_and_removed_with_the_call() {
        let root = tempfile::tempdir().unwrap();
        let files = CallFiles::create(root.path()).unwrap();
        let folder = files.folder().to_owned();
        assert_eq!(
            folder.metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert_eq!(files.said_error(), None);
        if cfg!(target_os = "linux") {
            assert!(files.progress().metadata().unwrap().file_type().is_fifo());
        }
        fs::write(files.error(), "{}").unwrap();
        assert_eq!(files.said_error().as_deref(), Some("{}"));
        drop(files);
        assert!(!folder.exists());
    }

    #[test]
    fn a_question_is_taken_once_and_answered_atomically() {
        let root = tempfile::tempdir().unwrap();
        let files = CallFiles::create(root.path()).unwrap();
        assert_eq!(files.asked(), None);
        fs::write(
            files.question(),
            r#"{"message":"Sure?","schema":{"type":"object"}}"#,
        )
        .unwrap();
        let question = files.asked().unwrap();
        let params = r#"{"mode":"form","message":"Sure?","requestedSchema":{"type":"object"}}"#;
        assert_eq!(question.params(), params);
        assert_eq!(files.asked(), None);
        files.answer(DECLINED).unwrap();
        assert_eq!(fs::read_to_string(files.answer_file()).unwrap(), DECLINED);
        fs::write(
            files.question(),
            r#"{"message":"Go","url":"https://x","mode":"url"}"#,
        )
        .unwrap();
        let params = r#"{"mode":"url","message":"Go","url":"https://x"}"#;
        assert_eq!(files.asked().unwrap().params(), params);
    }

    #[test]
    fn a_cancelled_tool_finds_a_file_and_an_answer() {
        let root = tempfile::tempdir().unwrap();
        let files = CallFiles::create(root.path()).unwrap();
        fs::write(files.question(), "{}").unwrap();
        files.cancel();
        assert!(files.cancel_file().exists());
        assert!(
            fs::read_to_string(files.answer_file())
                .unwrap()
                .contains("cancel")
        );
    }
}
