//! Lists the blocks of a file.

use std::io::Write;

use linkspan_bcp::{Block, Document, Error, Frame, Input, Reader};
use linkspan_wire::quote;

use crate::error::{BcpError, Result};
use crate::listing::{self, Detail, Styles};
use crate::watched::Watched;

/// The blocks to list, and the form of the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct InspectOptions {
    /// Only the block with this index.
    pub block: Option<u64>,
    /// The details of each block.
    pub detail: Detail,
    /// Whether to write one JSON object instead of lines.
    pub json: bool,
    /// The colours of lines.
    pub styles: Styles,
}

/// Lists the blocks of a file. The error is that of the first unreadable block; the others are listed
/// nevertheless.
pub fn inspect(
    document: &Document,
    name: &str,
    options: InspectOptions,
    out: &mut dyn Write,
) -> Result<()> {
    let broken = |e| BcpError::file(name, e);
    if let Some(block) = options.block.filter(|_| !options.detail.compat) {
        let (blocks, _) = count(document, false).map_err(broken)?;
        if block >= blocks {
            return Err(BcpError::NoBlock {
                name: name.to_owned(),
                block,
                blocks,
            });
        }
    }
    let mut out = Watched::new(out);
    let listed = if options.json {
        write_json(document, options, &mut out)
    } else {
        write(document, options, &mut out)
    };
    let listed = listed.and_then(|errors| {
        out.flush()?;
        Ok(errors)
    });
    match (listed, out.failed) {
        (Err(_), Some(e)) => Err(BcpError::Print(e)),
        (Err(e), None) => Err(broken(e)),
        (Ok(errors), _) => errors.into_iter().next().map_or(Ok(()), |e| Err(broken(e))),
    }
}

/// Writes the lines of all blocks; returns the errors of unreadable ones.
pub(crate) fn write(document: &Document, options: InspectOptions, out: &mut dyn Write) -> Listed {
    let Styles {
        name: bold, bad, ..
    } = options.styles;
    // The first line has the number of blocks, so they are counted before. A file without an END block is not
    // listed.
    let (count, end) = count(document, options.detail.compat)?;
    let mut reader = document.reader()?;
    let header = reader.header();
    let blocks = if count == 1 { "block" } else { "blocks" };
    let minor = header.minor;
    writeln!(
        out,
        "Header: BCP v1.{minor}, flags=0x{:02X}, {count} {blocks}",
        header.flags
    )?;
    let mut errors = Vec::new();
    each(&mut reader, options.block, &mut |index, kind, read| {
        match read {
            Ok((frame, block)) => {
                listing::write_block(frame, block, options.detail, options.styles, out)
            }
            Err(e) => {
                errors.push(e.clone());
                let name = listing::type_name(kind);
                writeln!(
                    out,
                    "Block {index}: {bold}{name}{bold:#} {bad}unreadable{bad:#}: {e}"
                )
            }
        }
        .map_err(Error::from)
    })?;
    writeln!(out, "---")?;
    let length = document.source().length()?;
    if options.detail.compat {
        writeln!(out, "END sentinel at offset {}", length.saturating_sub(4))?;
    } else if header.is_compressed() {
        writeln!(out, "END sentinel at offset {end} of the inflated file")?;
    } else {
        writeln!(out, "END sentinel at offset {end}")?;
    }
    Ok(errors)
}

/// The errors of unreadable blocks; or the error of a file that cannot be listed.
type Listed = Result<Vec<Error>, Error>;

/// A block and its frame, or its error.
type Read<'r> = Result<(&'r Frame<'r>, &'r Block<'r>), &'r Error>;

/// Called with the index and the type of a block, and the block.
type Each<'e> = dyn FnMut(u64, u8, Read<'_>) -> Result<(), Error> + 'e;

/// Reads the blocks, or only one of them.
fn each(reader: &mut Reader<Input>, only: Option<u64>, with: &mut Each<'_>) -> Result<(), Error> {
    let mut index = 0;
    while let Some(head) = reader.next_head()? {
        if only.is_none_or(|only| only == index) {
            let frame = reader.open();
            let read = frame.and_then(|frame| frame.block().map(|block| (frame, block)));
            match &read {
                Ok((frame, block)) => with(index, head.kind, Ok((frame, block)))?,
                Err(e) if e.local => with(index, head.kind, Err(e))?,
                Err(e) => return Err(e.clone()),
            }
        }
        index += 1;
    }
    Ok(())
}

/// The number of blocks, and the offset of the END block. With `all`, every block must be readable, as in the
/// reference implementation.
fn count(document: &Document, all: bool) -> Result<(u64, u64), Error> {
    let mut reader = document.reader()?;
    let mut count = 0;
    while reader.next_head()?.is_some() {
        count += 1;
        if all {
            reader.open()?.block()?;
        }
    }
    Ok((count, reader.offset() - 4))
}

/// Writes the blocks as one JSON object.
fn write_json(document: &Document, options: InspectOptions, out: &mut dyn Write) -> Listed {
    let (_, end) = count(document, false)?;
    let mut reader = document.reader()?;
    let header = reader.header();
    write!(
        out,
        "{{\"version\":\"1.{}\",\"flags\":{},\"blocks\":[",
        header.minor, header.flags
    )?;
    let mut errors = Vec::new();
    let mut between = "";
    each(&mut reader, options.block, &mut |index, kind, read| {
        let name = listing::type_name(kind).to_ascii_lowercase();
        write!(
            out,
            "{between}\n{{\"index\":{index},\"type\":\"{name}\",\"kind\":{kind}"
        )?;
        between = ",";
        match read {
            Ok((frame, block)) => {
                let head = frame.head;
                write!(
                    out,
                    ",\"offset\":{},\"flags\":{},\"stored\":{},\"compressed\":{},\"reference\":{},\"bytes\":{},\"about\":{}",
                    frame.offset,
                    head.flags,
                    head.stored,
                    head.is_compressed(),
                    head.is_reference(),
                    listing::bytes(&block.content),
                    quote(listing::about(&block.content).trim_start()),
                )?;
                if let Some(summary) = &block.summary {
                    write!(out, ",\"summary\":{}", quote(summary))?;
                }
            }
            Err(e) => {
                errors.push(e.clone());
                write!(out, ",\"error\":{}", quote(&e.to_string()))?;
            }
        }
        write!(out, "}}")?;
        Ok(())
    })?;
    writeln!(out, "\n],\"end\":{end}}}")?;
    Ok(errors)
}
