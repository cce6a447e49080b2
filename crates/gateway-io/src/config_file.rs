//! The configuration file, and its changes while the gateway runs.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use linkspan_gateway::{ConfigErrors, GatewayConfig};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// The largest file that is read.
const LARGEST: u64 = 16 << 20;

/// A configuration file.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    path: PathBuf,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// Its text is not a configuration.
    #[error(transparent)]
    Mistakes(#[from] ConfigErrors),
}

impl ConfigFileError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { why, .. } if why.kind() == io::ErrorKind::NotFound => {
                Some("name the file that your client has, or write one: {\"mcpServers\": {…}}")
            }
            // Each mistake says what is allowed.
            Self::Read { .. } | Self::Mistakes(_) => None,
        }
    }
}

/// What tells whether a file has been written.
type Written = Option<(SystemTime, u64)>;

impl ConfigFile {
    /// The file at this path.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The folder that relative paths in it begin at.
    pub fn folder(&self) -> PathBuf {
        let whole = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        whole.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// Every mistake in it, with its line.
    pub fn read(&self) -> Result<GatewayConfig, ConfigFileError> {
        let text = self.text().map_err(|why| ConfigFileError::Read {
            path: self.path.clone(),
            why,
        })?;
        let name = self.path.display().to_string();
        Ok(GatewayConfig::read(&name, &text)?)
    }

    fn text(&self) -> io::Result<String> {
        if fs::metadata(&self.path)?.len() > LARGEST {
            return Err(io::Error::other(format!(
                "it has more than {LARGEST} bytes"
            )));
        }
        fs::read_to_string(&self.path)
    }

    fn written(&self) -> Written {
        let metadata = fs::metadata(&self.path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// Calls `changed` whenever the file has been written. Ends only when it is dropped.
    pub async fn watch(
        &self,
        mut changed: impl FnMut(Result<GatewayConfig, ConfigFileError>),
    ) -> Infallible {
        let mut last = self.written();
        loop {
            tokio::time::sleep(LOOK).await;
            let now = self.written();
            // An editor may remove the file for a moment while it saves.
            if now.is_some() && now != last {
                last = now;
                changed(self.read());
            }
        }
    }
}
