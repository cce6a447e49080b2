//! Lines on stdin and stdout, and members of the objects in them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, StdinLock, Write};
use std::os::fd::AsFd;

use linkspan_bench::json;

/// Longest line that is read; a longer one ends the stream.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Reads one line into `line`, without its end; false at the end of the stream.
pub fn read(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if from.take(MAX_LINE).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    while line
        .last()
        .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
    {
        line.pop();
    }
    Ok(true)
}

pub fn stdin() -> BufReader<StdinLock<'static>> {
    BufReader::with_capacity(64 * 1024, io::stdin().lock())
}

/// A plain file instead of `Stdout`, which would look for line ends in every byte.
pub fn stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Writes all parts at once, so that no reader wakes up for half a line.
pub fn write(to: &mut impl Write, out: &mut Vec<u8>, parts: &[&[u8]]) -> io::Result<()> {
    out.clear();
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\n');
    to.write_all(out)
}

/// The raw text of a member deep down.
pub fn deep<'a>(mut object: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
    for key in path {
        object = json::member(object, key)?;
    }
    Some(object)
}

/// A string without its quotes, not decoded.
pub fn text<'a>(object: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
    deep(object, path).and_then(json::inside)
}

/// A number, also one in quotes.
pub fn number(text: &[u8]) -> Option<u64> {
    let text = json::inside(text).unwrap_or(text);
    std::str::from_utf8(text).ok()?.parse().ok()
}
