//! What a person has to do, for whichever process can show it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use linkspan_auth::client::DeviceCode;
use serde::{Deserialize, Serialize};
use url::Url;

/// A page to open, and perhaps a code to type there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The server that wants the sign-in, without what may be secret of its URL.
    pub server: String,
    /// The page.
    pub url: String,
    /// The code to type on the page.
    pub user_code: Option<String>,
    /// Whether a browser was started with the page.
    pub opened: bool,
}

impl Prompt {
    pub(crate) fn page(server: &Url, url: &Url, opened: bool) -> Self {
        Self {
            server: server.to_string(),
            url: url.to_string(),
            user_code: None,
            opened,
        }
    }

    pub(crate) fn device(server: &Url, code: &DeviceCode) -> Self {
        Self {
            server: server.to_string(),
            url: code.complete.as_ref().unwrap_or(&code.url).to_string(),
            user_code: Some(code.user_code.clone()),
            opened: false,
        }
    }
}

impl Prompt {
    /// What to do after the sign-in, or before it where nothing can be pasted.
    pub fn hint(&self, can_paste: bool) -> Option<&'static str> {
        if self.user_code.is_some() || self.opened {
            return None;
        }
        Some(if can_paste {
            "after the sign-in, paste the URL of the page that cannot be reached"
        } else {
            "stdin is no terminal, so that no URL can be pasted: open the page on this machine, or forward a port \
             (`--callback-port N` and `ssh -L N:localhost:N`), or give `--grant device`"
        })
    }
}

/// What the user has to do, in one line.
impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, url, .. } = self;
        match &self.user_code {
            Some(code) => write!(
                f,
                "{server} wants a sign-in: open {url} and enter the code {code}"
            ),
            None if self.opened => {
                write!(
                    f,
                    "{server} wants a sign-in: your browser was opened with {url}"
                )
            }
            None => write!(f, "{server} wants a sign-in: open {url} in a browser"),
        }
    }
}

/// The prompt of a sign-in under way, in a file beside its lock, so that every process that waits can show it.
#[derive(Debug, Clone)]
pub(crate) struct PromptFile(PathBuf);

/// Longer than any prompt that we write.
const LONGEST: u64 = 64 * 1024;

impl PromptFile {
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        Self(folder.join(format!("prompt-{name}")))
    }

    /// Shows a prompt until the guard is dropped.
    pub(crate) fn show(&self, prompt: &Prompt) -> Shown {
        let text = serde_json::to_vec(prompt).unwrap_or_default();
        // Without the file, other processes only wait.
        if let Err(error) = write_private(&self.0, &text) {
            tracing::debug!("{}: {error}", self.0.display());
        }
        Shown(self.0.clone())
    }

    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.0);
    }

    pub(crate) fn read(&self) -> Option<Prompt> {
        let size = fs::metadata(&self.0).ok()?.len();
        let text = (size <= LONGEST).then(|| fs::read(&self.0).ok())??;
        serde_json::from_slice(&text).ok()
    }
}

pub(crate) struct Shown(PathBuf);

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn write_private(path: &Path, text: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let _ = fs::remove_file(path);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text)
}
