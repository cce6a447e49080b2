//! Validates a file.

use std::fmt::Write as _;

use linkspan_bcp::{Document, Error, Header};
use linkspan_wire::quote;

use crate::listing::Styles;
use crate::progress::Progress;

/// The result of a validation.
#[derive(Debug, Default)]
pub struct Validation {
    header: Option<Header>,
    blocks: u64,
    errors: Vec<Error>,
    warnings: Vec<String>,
}

/// The maximum number of collected errors and warnings.
const MANY: usize = 100;

impl Validation {
    /// Reads all of a file.
    pub fn of(document: &Document, progress: &dyn Progress) -> Self {
        let mut found = Self::default();
        progress.begin("validating", document.source().length().unwrap_or_default());
        if let Err(e) = found.read(document, progress) {
            found.errors.push(e);
        }
        progress.end();
        found
    }

    /// Whether there are no errors.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Unusual but valid properties.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn read(&mut self, document: &Document, progress: &dyn Progress) -> Result<(), Error> {
        let mut reader = document.reader()?;
        let header = reader.header();
        self.header = Some(header);
        if header.minor != 0 {
            let minor = header.minor;
            self.warnings.push(format!(
                "minor version {minor} is newer than 0, the supported one"
            ));
        }
        let unknown = header.flags & !Header::COMPRESSED;
        if unknown != 0 {
            self.warnings
                .push(format!("header flags 0x{unknown:02X} are unknown"));
        }
        while let Some(head) = reader.next_head()? {
            let reserved = head.flags >> 3 << 3;
            if reserved != 0 && self.warnings.len() < MANY {
                let block = self.blocks;
                let warning = format!("block {block}: flags 0x{reserved:02X} are unknown");
                self.warnings.push(warning);
            }
            self.blocks += 1;
            if let Err(e) = reader.open().and_then(|frame| frame.block().map(drop)) {
                if !e.local || self.errors.len() >= MANY {
                    return Err(e);
                }
                self.errors.push(e);
            }
            progress.at(reader.offset());
        }
        Ok(())
    }

    /// The result as lines of text, without the warnings.
    pub fn lines(&self, styles: Styles) -> String {
        let Styles { good, bad, .. } = styles;
        let mut out = String::new();
        if self.is_valid() {
            let blocks = self.blocks;
            let minor = self.header.map_or(0, |header| header.minor);
            let noun = if blocks == 1 { "block" } else { "blocks" };
            for line in [
                format!("Header: valid (BCP v1.{minor})"),
                format!("Blocks: {blocks} {noun} parsed successfully"),
                "Sentinel: END block present".to_owned(),
                "Integrity: all block bodies parse without error".to_owned(),
            ] {
                let _ = writeln!(out, "{good}✓{good:#} {line}");
            }
        }
        for error in &self.errors {
            let _ = writeln!(out, "{bad}✗ Error{bad:#}: {error}");
        }
        out
    }

    /// The result as one JSON object.
    pub fn json(&self) -> String {
        let errors: Vec<String> = self.errors.iter().map(error).collect();
        let warnings: Vec<String> = self.warnings.iter().map(|text| quote(text)).collect();
        let first = errors.first();
        let first = first.map_or_else(String::new, |first| format!(",\"error\":{first}"));
        format!(
            "{{\"valid\":{},\"blocks\":{}{first},\"errors\":[{}],\"warnings\":[{}]}}",
            self.is_valid(),
            self.blocks,
            errors.join(","),
            warnings.join(",")
        )
    }
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
