//! `linkspan bcp validate`: whether a file is what it should be, and where it is not.

use clap::Args;
use linkspan_bcp::{Document, Error, Header};
use linkspan_wire::quote;

use linkspan_bcp_tools::listing::{BAD, GOOD};
use crate::bcp::opening::{FileArg, StoreArg};
use crate::bcp::progress::Progress;
use crate::exit::{Exit, Failure, warn};
use crate::show::{raw, say};

// `linkspan bcp validate`
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    file: FileArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    header: Option<Header>,
    blocks: u64,
    errors: Vec<Error>,
    warnings: Vec<String>,
}

/// As many are enough to see what is wrong.
const MANY: usize = 100;

pub(crate) fn run(args: &ValidateArgs) -> Result<Exit, Failure> {
    let document = args.store.document(&args.file)?;
    let progress = Progress::new("validating", document.source());
    let mut found = Found::default();
    if let Err(e) = look(&document, &progress, &mut found) {
        found.errors.push(e);
    }
    progress.end();
    if args.json {
        raw(&json(&found));
    } else {
        print(&found);
    }
    if found.errors.is_empty() {
        return Ok(Exit::Ok);
    }
    Err(Failure::new(Exit::Invalid, "validation failed")
        .hint("a damaged file cannot be repaired; encode it again from its sources"))
}

fn look(document: &Document, progress: &Progress, found: &mut Found) -> Result<(), Error> {
    let mut reader = document.reader()?;
    let header = reader.header();
    found.header = Some(header);
    if header.minor != 0 {
        let minor = header.minor;
        found.warnings.push(format!(
            "minor version {minor} is newer than 0, the supported one"
        ));
    }
    let unknown = header.flags & !Header::COMPRESSED;
    if unknown != 0 {
        found
            .warnings
            .push(format!("header flags 0x{unknown:02X} are unknown"));
    }
    while let Some(head) = reader.next_head()? {
        let reserved = head.flags >> 3 << 3;
        if reserved != 0 && found.warnings.len() < MANY {
            let block = found.blocks;
            let warning = format!("block {block}: flags 0x{reserved:02X} are unknown");
            found.warnings.push(warning);
        }
        found.blocks += 1;
        if let Err(e) = reader.open().and_then(|frame| frame.block().map(drop)) {
            if !e.local || found.errors.len() >= MANY {
                return Err(e);
            }
            found.errors.push(e);
        }
        progress.at(reader.offset());
    }
    Ok(())
}

fn print(found: &Found) {
    for warning in &found.warnings {
        warn(warning);
    }
    if found.errors.is_empty() {
        let blocks = found.blocks;
        let minor = found.header.map_or(0, |header| header.minor);
        say!("{GOOD}✓{GOOD:#} Header: valid (BCP v1.{minor})");
        let noun = if blocks == 1 { "block" } else { "blocks" };
        say!("{GOOD}✓{GOOD:#} Blocks: {blocks} {noun} parsed successfully");
        say!("{GOOD}✓{GOOD:#} Sentinel: END block present");
        say!("{GOOD}✓{GOOD:#} Integrity: all block bodies parse without error");
    }
    for error in &found.errors {
        say!("{BAD}✗ Error{BAD:#}: {error}");
    }
}

fn json(found: &Found) -> String {
    let errors: Vec<String> = found.errors.iter().map(error).collect();
    let warnings: Vec<String> = found.warnings.iter().map(|text| quote(text)).collect();
    let first = errors.first();
    let first = first.map_or_else(String::new, |first| format!(",\"error\":{first}"));
    format!(
        "{{\"valid\":{},\"blocks\":{}{first},\"errors\":[{}],\"warnings\":[{}]}}",
        found.errors.is_empty(),
        found.blocks,
        errors.join(","),
        warnings.join(",")
    )
}

fn error(error: &Error) -> String {
    let block = error
        .block
        .map_or_else(String::new, |block| format!(",\"block\":{block}"));
    format!(
        "{{\"message\":{}{block},\"offset\":{}}}",
        quote(&error.to_string()),
        error.offset
    )
}
