//! New files, for the commands that create folders and entries.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A file to write.
#[derive(Debug)]
pub struct Draft {
    /// Relative to the folder, with `/`.
    pub path: String,
    text: String,
    is_program: bool,
}

impl Draft {
    /// A file that is not executable.
    pub fn text(path: impl Into<String>, text: String) -> Self {
        Self {
            path: path.into(),
            text,
            is_program: false,
        }
    }

    /// An executable file.
    pub fn program(path: impl Into<String>, text: String) -> Self {
        Self {
            is_program: true,
            ..Self::text(path, text)
        }
    }

    /// Writes the file to `path` and creates the folders above. Never replaces a file.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        if let Some(above) = path.parent() {
            create_folders(above)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // Not group-writable, whatever the umask is: the server refuses to serve writable files.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(
            &mut options,
            if self.is_program { 0o755 } else { 0o644 },
        );
        options.open(path)?.write_all(self.text.as_bytes())
    }
}

/// Creates a folder and those above it, writable by this user only.
pub fn create_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    builder.create(path)
}
