//! Reading the servers of a client's configuration file.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

use crate::clients::Client;
use crate::format::SyntaxError;

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
    /// It does not have the format of the client.
    #[error("{0}")]
    Syntax(#[from] SyntaxError),
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
        let value = client.format().read(&text)?;
        Ok(Self { client, value })
    }

    /// The questions of VS Code for values that entries refer to.
    pub(crate) fn inputs(&self) -> &[Value] {
        let inputs = self.value.get("inputs").and_then(Value::as_array);
        inputs.map_or(&[], Vec::as_slice)
    }

    pub(crate) fn client(&self) -> Client {
        self.client
    }

    /// The servers, with their names.
    pub fn servers(&self) -> Vec<(&str, &Value)> {
        match self.value.get(self.client.key()) {
            Some(Value::Object(servers)) => servers
                .iter()
                .map(|(name, entry)| (name.as_str(), entry))
                .collect(),
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(|item| Some((item.get("name")?.as_str()?, item)))
                .collect(),
            _ => Vec::new(),
        }
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
        let file = folder.path().join("config");
        fs::write(&file, text).unwrap();
        (folder, file)
    }

    fn names(client: Client, text: &str) -> Vec<String> {
        let (_folder, file) = file(text);
        let config = ConfigFile::read(client, &file).unwrap();
        let servers = config.servers().into_iter();
        servers.map(|(name, _)| name.to_owned()).collect()
    }

    #[test]
    fn the_servers_of_a_client_are_under_its_own_key() {
        let text = "{ // mine\n \"servers\": {\"a\": {},}, \"mcpServers\": {} }";
        assert_eq!(names(Client::VsCode, text), ["a"]);
        assert_eq!(names(Client::Cursor, text), [] as [&str; 0]);
        assert_eq!(names(Client::Zed, text), [] as [&str; 0]);
        let text = "mcpServers:\n  - name: a\n    command: x\n  - url: y\n";
        assert_eq!(names(Client::Continue, text), ["a"]);
        let text = "model = \"m\"\n[mcp_servers.\"a b\"]\ncommand = \"x\"\n";
        assert_eq!(names(Client::Codex, text), ["a b"]);
    }

    #[test]
    fn a_file_that_is_no_configuration_is_an_error() {
        let (folder, file) = file("{\n  \"a\" 1\n}");
        let read = |path: &Path| ConfigFile::read(Client::Cursor, path).unwrap_err();
        assert_eq!(read(&file).to_string(), "line 2, column 7: expected `:`");
        assert!(matches!(read(folder.path()), ReadError::NotAFile));
        assert!(matches!(
            read(&folder.path().join("none")),
            ReadError::Io(_)
        ));
    }
}
