//! A text that is read as a whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;

/// The largest text that is read.
const MOST: u64 = 256 << 20;

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", shown(file))]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It has too many bytes.
    #[error("{} is too large", shown(.0))]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("{} is not UTF-8", shown(.0))]
    NotUtf8(PathBuf),
}

impl TextError {
    /// What the user can know about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => None,
            Self::TooLarge(_) => Some("the limit is 256 MiB"),
            Self::NotUtf8(_) => Some("results of tools are always UTF-8"),
        }
    }
}

/// Reads a text; `-` is `stdin`.
pub fn read_text(file: &Path, stdin: impl Read) -> Result<String, TextError> {
    let read = if file == Path::new("-") {
        read(stdin, MOST)
    } else {
        File::open(file).and_then(|file| read(file, MOST))
    };
    let bytes = read.map_err(|source| TextError::Read {
        file: file.to_owned(),
        source,
    })?;
    let bytes = bytes.ok_or_else(|| TextError::TooLarge(file.to_owned()))?;
    String::from_utf8(bytes).map_err(|_| TextError::NotUtf8(file.to_owned()))
}

/// All bytes, unless there are more than `most`.
fn read(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn shown(file: &Path) -> String {
    escape_line(&file.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_stdin_and_a_missing_file_is_named() {
        let dash = Path::new("-");
        assert_eq!(read_text(dash, &b"text"[..]).unwrap(), "text");
        let error = read_text(dash, &b"\xff"[..]).unwrap_err();
        assert_eq!(error.to_string(), "- is not UTF-8");
        let error = read_text(Path::new("/none/x"), io::empty()).unwrap_err();
        assert!(error.to_string().starts_with("cannot read /none/x: "));
    }

    #[test]
    fn a_read_has_a_limit() {
        assert_eq!(read(&b"four"[..], 4).unwrap().unwrap(), b"four");
        assert_eq!(read(io::repeat(0), 4).unwrap(), None);
    }
}
