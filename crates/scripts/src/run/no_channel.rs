//! Where a program cannot inherit descriptors: every channel is refused.

use std::io;

use crate::os::{OwnedFd, UNSUPPORTED, UnixStream, pipe};

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, UNSUPPORTED))
}

/// Fails: this system has no pipes to programs.
pub(crate) fn reading() -> io::Result<(pipe::Receiver, OwnedFd)> {
    refused()
}

/// Fails: this system has no pipes to programs.
pub(crate) fn writing() -> io::Result<(pipe::Sender, OwnedFd)> {
    refused()
}

/// Fails: this system has no pipes to programs.
pub(crate) fn filled(_bytes: &[u8]) -> io::Result<(OwnedFd, Option<(pipe::Sender, usize)>)> {
    refused()
}

/// Fails: this system has no control channel.
pub(crate) fn socket() -> io::Result<(UnixStream, OwnedFd)> {
    refused()
}

/// Fails: this system starts no programs.
pub(crate) fn null() -> io::Result<OwnedFd> {
    refused()
}
