//! What differs between systems: modes and owners on Unix, nothing of it elsewhere.

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::Path;

    use rustix::fs::OFlags;

    pub(in super::super) fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder.mode(0o700)
    }

    pub(in super::super) fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
        // NONBLOCK: a FIFO in the place of a file must not make us wait for a writer.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).expect("flags of open(2) are an int");
        options.mode(0o600).custom_flags(flags)
    }

    /// The owner, if that is another user.
    pub(in super::super) fn other_owner(metadata: &Metadata) -> Option<u32> {
        let owner = metadata.uid();
        (owner != rustix::process::geteuid().as_raw()).then_some(owner)
    }

    pub(in super::super) fn close_folder(path: &Path, metadata: &Metadata) -> io::Result<()> {
        if is_private(metadata) {
            return Ok(());
        }
        fs::set_permissions(path, Permissions::from_mode(0o700))
    }

    pub(in super::super) fn close_file(file: &File, metadata: &Metadata) -> io::Result<()> {
        if is_private(metadata) {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(0o600))
    }

    fn is_private(metadata: &Metadata) -> bool {
        metadata.mode() & 0o077 == 0
    }

    /// Makes a rename survive a power failure. Some file systems cannot; there the old file may come back.
    pub(in super::super) fn sync_folder(path: &Path) {
        let _ = File::open(path).and_then(|folder| folder.sync_all());
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(in super::super) fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder
    }

    #[cfg(windows)]
    pub(in super::super) fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
        use std::os::windows::fs::OpenOptionsExt as _;
        /// Opens a symbolic link itself, which is then refused.
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
    }

    #[cfg(not(windows))]
    pub(in super::super) fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(in super::super) fn other_owner(_: &Metadata) -> Option<u32> {
        None
    }

    pub(in super::super) fn close_folder(_: &Path, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn close_file(_: &File, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// A folder cannot be opened for writing here; the journal of NTFS orders renames.
    pub(in super::super) fn sync_folder(_: &Path) {}
}
