//! Notifications of Linux.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::statfs;

use super::tree::{folders, matters, matters_in_root};

/// Network file systems, on which other machines write without an event here: NFS, SMB (both), FUSE, 9p.
const REMOTE: [i128; 5] = [0x6969, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997];

/// Watches on all relevant folders.
pub(super) struct FolderWatches {
    fd: OwnedFd,
    /// Whether a watch is that of the root, by its number.
    watches: HashMap<i32, bool>,
    /// Whether notifications were lost, or the root is gone.
    broken: bool,
}

impl FolderWatches {
    pub(super) fn about(root: &Path) -> io::Result<Self> {
        // The type of this number differs between systems.
        let kind = i128::from(statfs(root)?.f_type) & 0xffff_ffff;
        if REMOTE.contains(&kind) {
            return Err(io::Error::other("the file system is another machine's"));
        }
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut watches = Self {
            fd,
            watches: HashMap::new(),
            broken: false,
        };
        watches.add(root)?;
        Ok(watches)
    }

    /// Watches all folders that matter now.
    fn add(&mut self, root: &Path) -> io::Result<()> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        let folders = folders(root).ok_or_else(|| io::Error::other("too many folders"))?;
        let mut watches = HashMap::with_capacity(folders.len());
        for (at, folder) in folders.iter().enumerate() {
            match inotify::add_watch(&self.fd, folder.as_path(), flags) {
                Ok(watch) => {
                    // If the root is also the folder of a link target, all names in it are relevant.
                    let is_root = at == 0;
                    let both = watches.entry(watch).or_insert(is_root);
                    *both = *both && is_root;
                }
                // The folder was removed meanwhile.
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) if at > 0 => {}
                Err(error) => return Err(error.into()),
            }
        }
        for watch in self.watches.keys() {
            if !watches.contains_key(watch) {
                let _ = inotify::remove_watch(&self.fd, *watch);
            }
        }
        self.watches = watches;
        Ok(())
    }

    /// Updates the set of watched folders; `None` if the watch has to be restarted.
    pub(super) fn renewed(mut self, root: &Path) -> Option<Self> {
        (!self.broken && self.add(root).is_ok()).then_some(self)
    }

    /// Reads the pending notifications; `true` if any is relevant.
    pub(super) fn take(&mut self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        let mut matter = false;
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return matter,
            };
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.broken = true;
                matter = true;
                continue;
            }
            let Some(is_root) = self.watches.get(&event.wd()).copied() else {
                continue;
            };
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
            if flags.intersects(gone) {
                self.broken |= is_root;
                matter = true;
                continue;
            }
            let name = event.file_name().map(|name| name.to_string_lossy());
            matter |= match (name, is_root) {
                (Some(name), true) => matters_in_root(&name),
                (Some(name), false) => matters(&name),
                // The folder may have become writable for other users.
                (None, _) => flags.contains(ReadFlags::ATTRIB),
            };
        }
    }
}

impl AsFd for FolderWatches {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
