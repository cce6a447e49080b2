//! Reading the servers of a client's configuration file.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::clients::Client;
use crate::jsonc::{self, EditError};

/// The largest configuration file that is read.
const MAX: u64 = 16 << 20;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a directory or a special file.
    #[error("it is not a file")]
    NotAFile,
    /// It is larger than the limit.
    #[error("it is too large")]
    TooLarge,
    /// It is not JSON with comments.
    #[error("{0}")]
    Syntax(String),
}

/// A client's configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigFile {
    client: Client,
    value: Value,
}

impl ConfigFile {
    /// Reads the configuration file of a client.
    ///
    /// # Errors
    /// If there is no file, or it is not a configuration.
    pub fn read(client: Client, file: &Path) -> Result<Self, ReadError> {
        let text = text(file)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let value = jsonc::read(&text).map_err(|error| match error {
            EditError::Syntax(why) => ReadError::Syntax(why),
            other => ReadError::Syntax(other.to_string()),
        })?;
        Ok(Self { client, value })
    }

    /// The servers, by name.
    pub fn servers(&self) -> Option<&Map<String, Value>> {
        self.value.get(self.client.key())?.as_object()
    }
}

/// The text of a file; `None` if there is no file.
pub(crate) fn text(file: &Path) -> Result<Option<String>, ReadError> {
    match fs::metadata(file) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e.into()),
        Ok(about) if !about.is_file() => return Err(ReadError::NotAFile),
        Ok(about) if about.len() > MAX => return Err(ReadError::TooLarge),
        Ok(_) => {}
    }
    Ok(Some(fs::read_to_string(file)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, text).unwrap();
        (folder, file)
    }

    #[test]
    fn the_servers_of_a_client_are_under_its_own_key() {
        let (_folder, file) = file("{ // mine\n \"servers\": {\"a\": {},}, \"mcpServers\": {} }");
        let config = ConfigFile::read(Client::VsCode, &file).unwrap();
        assert_eq!(config.servers().map(Map::len), Some(1));
        let config = ConfigFile::read(Client::Cursor, &file).unwrap();
        assert_eq!(config.servers().map(Map::len), Some(0));
        let config = ConfigFile::read(Client::Zed, &file).unwrap();
        assert_eq!(config.servers(), None);
    }

    #[test]
    fn a_file_that_is_no_configuration_is_an_error() {
        let (folder, file) = file("{");
        let read = |path: &Path| ConfigFile::read(Client::Cursor, path).unwrap_err();
        assert!(matches!(read(&file), ReadError::Syntax(_)));
        assert!(matches!(read(folder.path()), ReadError::NotAFile));
        assert!(matches!(
            read(&folder.path().join("none")),
            ReadError::Io(_)
        ));
    }
}
