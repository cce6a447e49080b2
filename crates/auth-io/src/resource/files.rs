//! Files that decide who may connect.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file.
const LARGEST: u64 = 4 << 20;

/// Reads a file of keys. One that other users can write to is refused: they would decide who may connect.
pub fn read_trusted(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // The group counts as others: who is in it is not known here.
        let is_open = file.metadata()?.mode() & 0o022 != 0;
        if is_open {
            let why = "other users can write to it; chmod go-w makes it yours alone";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
    }
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is too large",
        ));
    }
    Ok(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_others_can_write_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{}").unwrap();
        assert_eq!(read_trusted(file.path()).unwrap(), b"{}");
        for mode in [0o666, 0o660, 0o602] {
            set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
            let refused = read_trusted(file.path()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{mode:o}");
        }
        set_permissions(file.path(), Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read_trusted(file.path()).unwrap(), b"{}");
    }
}
