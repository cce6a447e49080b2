//! The two ends of what joins us to a program: pipes, and a socket for the control channel.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// A pipe that we read: our end, and theirs.
pub(crate) fn reading() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((pipe::Receiver::from_owned_fd(read.into())?, write.into()))
}

/// A pipe that we write: our end, and theirs.
pub(crate) fn writing() -> io::Result<(pipe::Sender, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((pipe::Sender::from_owned_fd(write.into())?, read.into()))
}

/// A pipe with something in it: their end, and ours with what did not fit.
pub(crate) fn filled(bytes: &[u8]) -> io::Result<(OwnedFd, Option<(pipe::Sender, usize)>)> {
    let (read, mut write) = io::pipe()?;
    rustix::io::ioctl_fionbio(&write, true)?;
    let mut done = 0;
    while done < bytes.len() {
        match write.write(&bytes[done..]) {
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                let sender = pipe::Sender::from_owned_fd(write.into())?;
                return Ok((read.into(), Some((sender, done))));
            }
            Err(e) => return Err(e),
        }
    }
    Ok((read.into(), None))
}

/// A socket with two ends: ours, and theirs.
pub(crate) fn socket() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs.into()))
}

/// Nothing to read.
pub(crate) fn null() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}
