//! The same answers on stdin and stdout, without HTTP.

use crate::answer::{Answer, Eras, answer};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;

/// Longest line that is read; a longer one ends the stream.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Serves until stdin closes.
pub fn serve(eras: Eras) -> io::Result<()> {
    let mut from = BufReader::with_capacity(64 * 1024, io::stdin().lock());
    // A plain file instead of `Stdout`, which would look for line ends in every byte.
    let mut to = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut line = Vec::new();
    let mut out = Vec::new();
    loop {
        line.clear();
        if (&mut from).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Answer::Message {
            before,
            text,
            after,
            ..
        } = answer(&line, eras)
        {
            out.extend_from_slice(&before);
            if !text.is_empty() {
                to.write_all(&out)?;
                to.write_all(text)?;
                out.clear();
            }
            out.extend_from_slice(after);
            out.push(b'\n');
        }
        // Answers to calls that came together go together.
        if !from.buffer().contains(&b'\n') {
            to.write_all(&out)?;
            out.clear();
        }
    }
}
