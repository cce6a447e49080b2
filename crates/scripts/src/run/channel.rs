//! The two ends of what joins us to a program: pipes, and a socket for the control channel.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// A pipe that we read: our end, and theirs.
pub(crate) fn reading() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((pipe::Receiver::from_owned_fd(read)?, write))
}

/// A pipe that we write: our end, and theirs.
pub(crate) fn writing() -> io::Result<(pipe::Sender, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((pipe::Sender::from_owned_fd(write)?, read))
}

/// A pipe with something in it: their end, and ours with what did not fit.
pub(crate) fn filled(bytes: &[u8]) -> io::Result<(OwnedFd, Option<(pipe::Sender, usize)>)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&write, true)?;
    let mut file = std::fs::File::from(write);
    let mut done = 0;
    while done < bytes.len() {
        match file.write(&bytes[done..]) {
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                let sender = pipe::Sender::from_owned_fd(OwnedFd::from(file))?;
                return Ok((read, Some((sender, done))));
            }
            Err(e) => return Err(e),
        }
    }
    Ok((read, None))
}

/// A socket with two ends: ours, and theirs.
pub(crate) fn socket() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let ours = std::os::unix::net::UnixStream::from(ours);
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs))
}

/// Nothing to read.
pub(crate) fn null() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}
