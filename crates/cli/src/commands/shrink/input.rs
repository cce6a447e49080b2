//! The text that a command reads: a file or stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::show::path as shown;
use crate::waiting;

/// The largest text that is read.
const MOST: u64 = 256 << 20;

/// Reads a text; `-` is stdin, and `usual` the command line with a file instead.
pub(super) fn read(file: &Path, usual: &'static str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let failed =
        |e: io::Error| Failure::new(Exit::Invalid, format!("cannot read {}: {e}", shown(file)));
    let read = if file == Path::new("-") {
        let stdin = waiting::stdin("a text", usual);
        stdin.take(MOST + 1).read_to_end(&mut bytes)
    } else {
        let open = File::open(file).map_err(failed)?;
        open.take(MOST + 1).read_to_end(&mut bytes)
    };
    read.map_err(failed)?;
    if bytes.len() as u64 > MOST {
        return Err(
            Failure::new(Exit::Invalid, format!("{} is too large", shown(file)))
                .hint("the limit is 256 MiB"),
        );
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Exit::Invalid, format!("{} is not UTF-8", shown(file)))
            .hint("results of tools are always UTF-8")
    })
}
