//! Where a program cannot inherit descriptors: every channel is refused.

use std::io;

use crate::os::{OwnedFd, UNSUPPORTED, UnixStream, pipe};

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, UNSUPPORTED))
}

/// A pipe that we read.
pub(crate) fn reading() -> io::Result<(pipe::Receiver, OwnedFd)> {
    refused()
}

/// A pipe that we write.
pub(crate) fn writing() -> io::Result<(pipe::Sender, OwnedFd)> {
    refused()
}

/// A pipe with something in it.
pub(crate) fn filled(_bytes: &[u8]) -> io::Result<(OwnedFd, Option<(pipe::Sender, usize)>)> {
    refused()
}

/// A socket with two ends.
pub(crate) fn socket() -> io::Result<(UnixStream, OwnedFd)> {
    refused()
}

/// Nothing to read.
pub(crate) fn null() -> io::Result<OwnedFd> {
    refused()
}
