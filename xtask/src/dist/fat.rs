//! One program of macOS for both processors: a header, then the programs of each.

/// The magic number of a file with 32-bit offsets; all numbers are big-endian.
const MAGIC: u32 = 0xCAFE_BABE;
/// Each program starts on a page of arm64, the larger one: 2 to the power of this.
const ALIGN: u32 = 14;
const ROW: usize = 20;

/// Joins thin 64-bit programs. Their signatures stay valid, because each is over its own part.
pub fn join(programs: &[&[u8]]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut parts = Vec::new();
    bytes.extend(MAGIC.to_be_bytes());
    bytes.extend(number(programs.len())?.to_be_bytes());
    let mut offset = aligned(bytes.len() + programs.len() * ROW);
    for program in programs {
        for word in processor(program)? {
            bytes.extend(word.to_be_bytes());
        }
        for word in [number(offset)?, number(program.len())?, ALIGN] {
            bytes.extend(word.to_be_bytes());
        }
        parts.push((offset, program));
        offset = aligned(offset + program.len());
    }
    for (offset, program) in parts {
        bytes.resize(offset, 0);
        bytes.extend_from_slice(program);
    }
    Ok(bytes)
}

/// The type and the subtype of the processor, from the header of a thin program.
fn processor(program: &[u8]) -> Result<[u32; 2], String> {
    const THIN: [u8; 4] = [0xCF, 0xFA, 0xED, 0xFE];
    let word = |at: usize| {
        let bytes = program
            .get(at..at + 4)
            .and_then(|part| part.try_into().ok());
        bytes.map(u32::from_le_bytes)
    };
    match (program.starts_with(&THIN), word(4), word(8)) {
        (true, Some(kind), Some(subtype)) => Ok([kind, subtype]),
        _ => Err("it is not a 64-bit program of macOS".to_owned()),
    }
}

fn aligned(offset: usize) -> usize {
    offset.next_multiple_of(1 << ALIGN)
}

fn number(value: usize) -> Result<u32, String> {
    u32::try_from(value).map_err(|_| "a program of macOS has more than 4 GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_found_by_the_row_of_its_processor() {
        let arm = [
            &[0xCF, 0xFA, 0xED, 0xFE, 12, 0, 0, 1, 0, 0, 0, 0][..],
            b"arm",
        ]
        .concat();
        let intel = [
            &[0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1, 3, 0, 0, 0][..],
            b"intel",
        ]
        .concat();
        let fat = join(&[&arm, &intel]).unwrap();
        let word = |at: usize| u32::from_be_bytes(fat[at..at + 4].try_into().unwrap());
        assert_eq!((word(0), word(4)), (MAGIC, 2));
        assert_eq!((word(8), word(28), word(32)), (0x0100_000C, 0x0100_0007, 3));
        let part = |row: usize| {
            let (offset, size) = (word(row + 8) as usize, word(row + 12) as usize);
            assert_eq!(offset % 16384, 0);
            &fat[offset..offset + size]
        };
        assert_eq!((part(8), part(28)), (&arm[..], &intel[..]));
        assert!(join(&[b"#!/bin/sh"]).is_err());
    }
}
