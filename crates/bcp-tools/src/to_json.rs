//! The blocks of a file as a manifest, which other programs can read and from which `encode` restores the
//! file.

use std::io::Write;

use linkspan_bcp::manifest::write_block;
use linkspan_bcp::{Document, Failed, Head, Report, Show, Watch};

/// Writes the selected blocks, annotations included.
pub fn write(
    document: &Document,
    show: &Show,
    out: &mut dyn Write,
    watch: &mut Watch<'_>,
) -> Result<Report, Failed> {
    let mut report = Report::default();
    let mut reader = document.reader()?;
    let mut index = 0;
    let mut line = Vec::new();
    out.write_all(b"{\"blocks\":[")?;
    while let Some(head) = reader.next_head()? {
        if !watch(reader.offset()) {
            return Err(Failed::Stopped);
        }
        if wants(show, index, head) {
            let block = reader.open().and_then(|frame| {
                let block = frame.block()?;
                line.clear();
                write_block(&block, None, &mut line)?;
                Ok(())
            });
            match block {
                Ok(()) => {
                    out.write_all(if report.full == 0 { b"\n" } else { b",\n" })?;
                    out.write_all(&line)?;
                    report.full += 1;
                }
                Err(e) if e.local => report.unreadable.push(e),
                Err(e) => return Err(e.into()),
            }
        }
        index += 1;
    }
    out.write_all(b"\n]}\n")?;
    if report.full == 0 && report.unreadable.is_empty() {
        return Err(Failed::Nothing);
    }
    Ok(report)
}

fn wants(show: &Show, index: u64, head: Head) -> bool {
    let blocks = show.blocks.as_ref();
    let kinds = show.include.as_ref();
    blocks.is_none_or(|blocks| blocks.contains(&index))
        && kinds.is_none_or(|kinds| head.known().is_some_and(|kind| kinds.contains(&kind)))
}
