//! The hunks of a DIFF, parsed in place.

use std::borrow::Cow;

use crate::error::{Flaw, Reason};
use crate::tlv::{Fields, copy_fields, put_bytes, put_int, put_nested};

/// The field of a DIFF with a hunk.
const HUNK: u64 = 2;

/// The hunks of a diff.
#[derive(Debug, Clone, Default)]
pub struct Hunks<'a> {
    /// Fields; those with the id [`HUNK`] are hunks, others are ignored.
    fields: Cow<'a, [u8]>,
}

/// A run of changed lines, with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The number of the first line before the change, counted from 1.
    pub old_start: u32,
    /// The number of the first line after the change.
    pub new_start: u32,
    /// The lines, each prefixed with `' '`, `+` or `-`.
    pub lines: &'a [u8],
}

impl<'a> Hunks<'a> {
    /// Checks the hunks among these fields.
    pub(crate) fn check(fields: &'a [u8]) -> Result<Self, Flaw> {
        let mut all = Fields::new(fields);
        while next_hunk(fields, &mut all)?.is_some() {}
        Ok(Self {
            fields: Cow::Borrowed(fields),
        })
    }

    /// All hunks.
    pub fn iter(&self) -> impl Iterator<Item = Hunk<'_>> {
        let mut fields = Fields::new(&self.fields);
        // `check` has validated the hunks, so this cannot fail.
        std::iter::from_fn(move || next_hunk(&self.fields, &mut fields).ok().flatten())
    }

    /// Appends a hunk.
    pub fn add(&mut self, old_start: u32, new_start: u32, lines: &[u8]) {
        let mut hunk = Vec::with_capacity(lines.len() + 32);
        put_int(1, u64::from(old_start), &mut hunk);
        put_int(2, u64::from(new_start), &mut hunk);
        put_bytes(3, lines, &mut hunk);
        put_nested(HUNK, &hunk, self.fields.to_mut());
    }

    /// The size of all lines in bytes.
    pub fn bytes(&self) -> usize {
        self.iter().map(|hunk| hunk.lines.len()).sum()
    }

    /// Appends the hunks as fields of a DIFF.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        copy_fields(HUNK, &self.fields, out);
    }

    pub(crate) fn into_owned(self) -> Hunks<'static> {
        Hunks {
            fields: Cow::Owned(self.fields.into_owned()),
        }
    }
}

impl PartialEq for Hunks<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Hunks<'_> {}

fn next_hunk<'a>(bytes: &'a [u8], all: &mut Fields<'a>) -> Result<Option<Hunk<'a>>, Flaw> {
    while let Some(field) = all.next()? {
        if field.id != HUNK {
            continue;
        }
        let (start, end) = field.nested("hunk")?;
        let mut fields = Fields::part(bytes, start, end);
        let (mut old_start, mut new_start, mut lines) = (None, None, None);
        while let Some(field) = fields.next()? {
            match field.id {
                1 => old_start = Some(field.u32("old_start")?),
                2 => new_start = Some(field.u32("new_start")?),
                3 => lines = Some(field.bytes("lines")?),
                _ => {}
            }
        }
        let missing = |name| Reason::Missing(name).at(field.at);
        return Ok(Some(Hunk {
            old_start: old_start.ok_or_else(|| missing("old_start"))?,
            new_start: new_start.ok_or_else(|| missing("new_start"))?,
            lines: lines.ok_or_else(|| missing("lines"))?,
        }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old_start: u64, new_start: u64) -> Vec<u8> {
        let (mut hunk, mut fields) = (Vec::new(), Vec::new());
        put_int(1, old_start, &mut hunk);
        put_int(2, new_start, &mut hunk);
        put_bytes(3, b"+x\n", &mut hunk);
        put_nested(HUNK, &hunk, &mut fields);
        fields
    }

    #[test]
    fn a_line_number_that_needs_more_than_32_bits_is_refused() {
        let most = u64::from(u32::MAX);
        assert!(Hunks::check(&diff(most, most)).is_ok());
        for (old_start, new_start) in [(most + 1, 1), (1, most + 1), (u64::MAX, u64::MAX)] {
            let why = Hunks::check(&diff(old_start, new_start)).unwrap_err();
            assert!(matches!(why.reason, Reason::Value { .. }), "{why:?}");
        }
    }
}
