//! Stdin and stdout without a helper thread.
//!
//! tokio's stdin hands every read to a thread, which costs two context switches per message. Pipes and sockets can be
//! polled instead, but they must not block then, and that is a property of the open file description, which a shell or
//! our own stderr may share. So a pipe is opened again through `/proc`. A socket cannot be opened again; it is made
//! non-blocking in place, because sockets as stdio come from parents (Node, for one) that make a pair for each child
//! and keep the other end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream as StdStream;

use rustix::fs::{FileType, fstat};
use rustix::pipe::fcntl_setpipe_size;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::{Reader, Writer};

/// The limit of an unprivileged process.
const PIPE: usize = 1 << 20;

pub(super) fn reader() -> Option<Reader> {
    let stdin = io::stdin();
    match kind(stdin.as_fd())? {
        FileType::Fifo => {
            let pipe = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0");
            Some(Box::new(pipe.ok()?))
        }
        FileType::Socket => Some(Box::new(socket(stdin.as_fd())?)),
        _ => None,
    }
}

pub(super) fn writer() -> Option<Writer> {
    let stdout = io::stdout();
    match kind(stdout.as_fd())? {
        FileType::Fifo => {
            let pipe = pipe::OpenOptions::new()
                .open_sender("/proc/self/fd/1")
                .ok()?;
            // A large answer through a pipe of 64 KiB costs a hundred context switches. If the kernel refuses, the size
            // stays as it is.
            let _ = fcntl_setpipe_size(&pipe, PIPE);
            Some(Box::new(pipe))
        }
        FileType::Socket => Some(Box::new(socket(stdout.as_fd())?)),
        _ => None,
    }
}

fn kind(fd: BorrowedFd<'_>) -> Option<FileType> {
    Some(FileType::from_raw_mode(fstat(fd).ok()?.st_mode))
}

fn socket(fd: BorrowedFd<'_>) -> Option<UnixStream> {
    let stream = StdStream::from(fd.try_clone_to_owned().ok()?);
    stream.set_nonblocking(true).ok()?;
    UnixStream::from_std(stream).ok()
}
