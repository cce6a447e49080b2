//! The pipes to a program, and the socket of its control channel.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// A pipe to read from: our end and the program's.
pub(crate) fn reading() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((pipe::Receiver::from_owned_fd(read.into())?, write.into()))
}

/// A pipe to write to: our end and the program's.
pub(crate) fn writing() -> io::Result<(pipe::Sender, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((pipe::Sender::from_owned_fd(write.into())?, read.into()))
}

/// A pipe filled with `bytes`: the read end, and the write end with the number of bytes written if not all fit.
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

/// A socket pair: our end and the program's.
pub(crate) fn socket() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs.into()))
}

/// An open `/dev/null`.
pub(crate) fn null() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}
