//! `"hunks"` of a diff.

use std::io::Read;

use super::error::Problem;
use super::json::{Json, Result};
use super::values::{int, object, once, part, text, unbase64};
use crate::hunks::Hunks;
use crate::limits::Limits;

/// The minimum encoded size of a hunk besides its lines.
const AROUND: u64 = 12;

/// Reads the next array.
pub(super) fn read<R: Read>(json: &mut Json<R>, hunks: &mut Hunks<'static>) -> Result<()> {
    let mut reading = Reading::default();
    let (mut index, mut bytes) = (0, 0);
    json.open_array()?;
    while json.item()? {
        let (old_start, new_start) = reading
            .hunk(json)
            .map_err(|problem| part(problem, "hunk", index))?;
        bytes += reading.lines.len() as u64 + AROUND;
        if bytes > Limits::BLOCK {
            return Err(Problem::TooLarge {
                what: "the diff",
                limit: Limits::BLOCK,
            });
        }
        hunks.add(old_start, new_start, &reading.lines);
        index += 1;
    }
    Ok(())
}

/// Buffers shared by all hunks.
#[derive(Default)]
struct Reading {
    key: Vec<u8>,
    lines: Vec<u8>,
    digits: Vec<u8>,
}

impl Reading {
    /// Reads the next hunk; returns its line numbers and puts its lines into `lines`.
    fn hunk<R: Read>(&mut self, json: &mut Json<R>) -> Result<(u32, u32)> {
        let (mut old_start, mut new_start, mut lines) = (None, None, None);
        let digits = &mut self.digits;
        object(json, "it")?;
        while json.key(&mut self.key)? {
            match self.key.as_slice() {
                b"old_start" => {
                    let number = line(json, "\"old_start\"", digits)?;
                    once(&mut old_start, number, "old_start")?;
                }
                b"new_start" => {
                    let number = line(json, "\"new_start\"", digits)?;
                    once(&mut new_start, number, "new_start")?;
                }
                b"lines" => {
                    text(json, "\"lines\"", &mut self.lines)?;
                    once(&mut lines, (), "lines")?;
                }
                b"lines_base64" => {
                    text(json, "\"lines_base64\"", &mut self.lines)?;
                    self.lines = unbase64(&self.lines, "lines_base64")?;
                    once(&mut lines, (), "lines")?;
                }
                _ => json.skip()?,
            }
        }
        let needs = |field| Problem::Needs {
            what: "it",
            fields: vec![field],
        };
        lines.ok_or_else(|| needs("lines"))?;
        Ok((
            old_start.ok_or_else(|| needs("old_start"))?,
            new_start.ok_or_else(|| needs("new_start"))?,
        ))
    }
}

/// A line number.
fn line<R: Read>(json: &mut Json<R>, field: &'static str, digits: &mut Vec<u8>) -> Result<u32> {
    let number = int(json, field, u64::from(u32::MAX), digits)?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}
