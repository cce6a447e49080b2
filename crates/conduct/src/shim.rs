//! Copies bytes for `linkspan mcp`: stdin to the conductor, and the conductor's answers to stdout.
//!
//! Bytes are copied without being parsed: a message may have any size and arrive in any pieces. The shim uses
//! threads and no async runtime, because an agent may start one for every call.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::time::Duration;

#[cfg(unix)]
use crate::handshake::connect_unix;
use crate::handshake::{ConnectError, connect_tcp};

/// Bytes that are copied at once.
const BUFFER: usize = 64 * 1024;

/// How the connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The conductor closed it, or the reader of the output is gone.
    Closed,
    /// The conductor closed it without a byte.
    Silent,
}

/// Connects to the conductor at `endpoint`, a port or the path of a socket, and copies in both directions
/// until the conductor has closed its side.
pub fn run(
    endpoint: &str,
    secret: &str,
    input: Box<dyn Read + Send>,
    output: Box<dyn Write + Send>,
) -> Result<End, ConnectError> {
    if let Ok(port) = endpoint.parse::<u16>() {
        let stream = connect_tcp(port, secret)?;
        let writer = stream.try_clone()?;
        let half_close = |writer: &_| std::net::TcpStream::shutdown(writer, Shutdown::Write);
        return copy_both(stream, writer, half_close, input, output);
    }
    #[cfg(unix)]
    {
        use std::os::unix::net::UnixStream;
        let stream = connect_unix(endpoint, secret)?;
        let writer = stream.try_clone()?;
        let half_close = |writer: &_| UnixStream::shutdown(writer, Shutdown::Write);
        copy_both(stream, writer, half_close, input, output)
    }
    #[cfg(not(unix))]
    Err(ConnectError::NotAPort(endpoint.to_owned()))
}

fn copy_both<S: Read + Write + Send + 'static>(
    mut from: S,
    mut to: S,
    half_close: fn(&S) -> io::Result<()>,
    mut input: Box<dyn Read + Send>,
    mut output: Box<dyn Write + Send>,
) -> Result<End, ConnectError> {
    std::thread::spawn(move || {
        // If the conductor has closed the connection, the other direction reports the error.
        let _ = copy(&mut input, &mut to);
        let _ = half_close(&to);
    });
    match copy(&mut from, &mut output) {
        Ok(0) => Ok(End::Silent),
        Ok(_) | Err(CopyError::Write) => Ok(End::Closed),
        Err(CopyError::Read(e)) => Err(e.into()),
    }
}

enum CopyError {
    Read(io::Error),
    /// The reader has closed its end.
    Write,
}

/// Copies until the end; gives the number of bytes.
fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<u64, CopyError> {
    let mut buffer = vec![0; BUFFER];
    let mut copied = 0;
    loop {
        let read = match blocking(|| from.read(&mut buffer)) {
            Ok(0) => return Ok(copied),
            Ok(read) => read,
            Err(e) => return Err(CopyError::Read(e)),
        };
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            match blocking(|| to.write(rest)) {
                Ok(written) if written > 0 => rest = &rest[written..],
                _ => return Err(CopyError::Write),
            }
        }
        if blocking(|| to.flush()).is_err() {
            return Err(CopyError::Write);
        }
        copied += read as u64;
    }
}

/// Retries while a descriptor is not ready: the parent may have made stdin and stdout non-blocking.
fn blocking<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// stdin, without a buffer of its own if possible.
#[cfg(unix)]
pub fn stdin() -> Box<dyn Read + Send> {
    use std::os::fd::AsFd;
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdin()),
    }
}

/// stdout, without a buffer of its own if possible.
#[cfg(unix)]
pub fn stdout() -> Box<dyn Write + Send> {
    use std::os::fd::AsFd;
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

/// stdin.
#[cfg(not(unix))]
pub fn stdin() -> Box<dyn Read + Send> {
    Box::new(io::stdin())
}

/// stdout.
#[cfg(not(unix))]
pub fn stdout() -> Box<dyn Write + Send> {
    Box::new(io::stdout())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::io::BufRead;
    use std::os::unix::net::{UnixListener, UnixStream};

    /// The output when `serve` plays the conductor, and how the connection ends.
    fn end_with(serve: fn(io::BufReader<UnixStream>)) -> (End, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp");
        let listener = UnixListener::bind(&path).unwrap();
        let conductor = std::thread::spawn(move || {
            let mut stream = io::BufReader::new(listener.accept().unwrap().0);
            let mut secret = String::new();
            stream.read_line(&mut secret).unwrap();
            assert_eq!(secret, "secret\n");
            serve(stream);
        });
        let (mut read, write) = UnixStream::pair().unwrap();
        let input = Box::new(&b"a question"[..]);
        let end = run(path.to_str().unwrap(), "secret", input, Box::new(write)).unwrap();
        conductor.join().unwrap();
        let mut output = String::new();
        read.read_to_string(&mut output).unwrap();
        (end, output)
    }

    #[test]
    fn bytes_are_copied_both_ways_until_the_conductor_closes() {
        let (end, output) = end_with(|mut stream| {
            let mut question = String::new();
            // The end of the input closes half of the connection.
            stream.read_to_string(&mut question).unwrap();
            let answer = format!("answer to {question}");
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        });
        assert_eq!((end, &*output), (End::Closed, "answer to a question"));
    }

    #[test]
    fn an_end_without_a_byte_is_reported_as_silent() {
        let (end, output) = end_with(|mut stream| {
            stream.read_to_end(&mut Vec::new()).unwrap();
        });
        assert_eq!((end, &*output), (End::Silent, ""));
    }
}
