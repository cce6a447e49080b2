//! `linkspan bcp inspect`: what is in a file, block by block.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use linkspan_bcp::{Block, Document, Error, Frame, Input, Reader};
use linkspan_wire::quote;

use linkspan_bcp_tools::listing::{self, BAD, Detail, NAME};
use crate::bcp::opening::{FileArg, StoreArg};
use crate::bcp::said::broken;
use crate::exit::{Exit, Failure};
use crate::show::{Cleaned, Watched, cannot_print};

// `linkspan bcp inspect`
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    file: FileArg,
    /// Show the first 80 characters of each content
    #[arg(long)]
    show_body: bool,
    /// Show each content in hexadecimal, 16 bytes a line
    #[arg(long)]
    show_hex: bool,
    /// Only the block with this number, counted from 0
    #[arg(long, value_name = "N")]
    block: Option<u64>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["show_body", "show_hex"])]
    json: bool,
    /// Print what bcp 0.1.0 prints, including its wrong sizes
    #[arg(long, conflicts_with = "json")]
    compat: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(crate) fn run(args: &InspectArgs) -> Result<Exit, Failure> {
    let document = args.store.document(&args.file)?;
    if let Some(block) = args.block.filter(|_| !args.compat) {
        let (blocks, _) = count(&document, false).map_err(|e| broken(&args.file, &e))?;
        if block >= blocks {
            let what = format!("{}: there is no block {block}", args.file.name());
            let hint = format!("there are {blocks}, counted from 0");
            return Err(Failure::new(Exit::Invalid, what).hint(hint));
        }
    }
    let stdout: Box<dyn Write> = match args.compat {
        // The reference writes contents as they are, and so it drives terminals.
        true if io::stdout().is_terminal() => Box::new(Cleaned::new(io::stdout().lock())),
        // What must be as the reference has it may not be changed on its way.
        true => Box::new(io::stdout().lock()),
        false => Box::new(anstream::stdout().lock()),
    };
    let mut out = Watched::new(io::BufWriter::new(stdout));
    let which = Which {
        block: args.block,
        detail: Detail {
            body: args.show_body,
            hex: args.show_hex,
            compat: args.compat,
        },
    };
    let errors = if args.json {
        write_json(&document, which, &mut out)
    } else {
        write(&document, which, &mut out)
    };
    let errors = errors.and_then(|errors| {
        out.flush()?;
        Ok(errors)
    });
    match (errors, out.torn) {
        // Somebody has seen enough: `| head`.
        (Err(_), Some(e)) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Ok),
        (Err(_), Some(e)) => Err(cannot_print(&e)),
        (Err(e), None) => Err(broken(&args.file, &e)),
        (Ok(errors), _) => match errors.first() {
            Some(first) => Err(broken(&args.file, first)),
            None => Ok(Exit::Ok),
        },
    }
}

/// Which blocks, and what of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Which {
    pub(crate) block: Option<u64>,
    pub(crate) detail: Detail,
}

/// Writes the lines of all blocks, and gives back what could not be read.
pub(crate) fn write(
    document: &Document,
    which: Which,
    out: &mut dyn Write,
) -> Result<Vec<Error>, Error> {
    // The number of blocks comes first, so that they are counted before; and a file whose end is
    // missing is not listed at all.
    let (count, end) = count(document, which.detail.compat)?;
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
    each(&mut reader, which.block, &mut |index, kind, read| {
        match read {
            Ok((frame, block)) => listing::write_block(frame, block, which.detail, out),
            Err(e) => {
                errors.push(e.clone());
                let name = listing::type_name(kind);
                writeln!(
                    out,
                    "Block {index}: {NAME}{name}{NAME:#} {BAD}unreadable{BAD:#}: {e}"
                )
            }
        }
        .map_err(Error::from)
    })?;
    writeln!(out, "---")?;
    let length = document.source().length()?;
    if which.detail.compat {
        writeln!(out, "END sentinel at offset {}", length.saturating_sub(4))?;
    } else if header.is_compressed() {
        writeln!(out, "END sentinel at offset {end} of the inflated file")?;
    } else {
        writeln!(out, "END sentinel at offset {end}")?;
    }
    Ok(errors)
}

/// A block with its place, or why it cannot be read.
type Read<'r> = Result<(&'r Frame<'r>, &'r Block<'r>), &'r Error>;

/// Gets the number and the type of a block, and the block.
type Each<'e> = dyn FnMut(u64, u8, Read<'_>) -> Result<(), Error> + 'e;

/// Reads the blocks, or the one that is wanted.
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

/// How many blocks there are, and where the END block begins. The reference wants to be able to read
/// all of them.
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

/// The same as one JSON object.
fn write_json(document: &Document, which: Which, out: &mut dyn Write) -> Result<Vec<Error>, Error> {
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
    each(&mut reader, which.block, &mut |index, kind, read| {
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
