//! Unsigned LEB128, the only integer of the format: seven bits per byte, least significant first.

use crate::error::Reason;

/// The maximum length: a u64 in groups of seven bits.
pub(crate) const MAX: usize = 10;

/// Appends `value` in its shortest form.
pub(crate) fn write(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The value at the start of `bytes`, and its length; `None` if the bytes end too early.
///
/// Overlong forms are accepted, as the reference implementation does; bits that do not fit into a u64 are an
/// error, where the reference implementation drops them.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<(u64, usize)>, Reason> {
    // Most values have one byte.
    if let Some(&first) = bytes.first()
        && first < 0x80
    {
        return Ok(Some((u64::from(first), 1)));
    }
    let mut value = 0;
    for (i, &byte) in bytes.iter().take(MAX).enumerate() {
        if i == MAX - 1 && byte & 0x7f > 1 {
            return Err(Reason::VarintOverflow);
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok(Some((value, i + 1)));
        }
    }
    if bytes.len() < MAX {
        Ok(None)
    } else {
        Err(Reason::VarintTooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write(value, &mut out);
        out
    }

    #[test]
    fn the_shortest_form_is_written() {
        assert_eq!(written(0), [0]);
        assert_eq!(written(127), [0x7f]);
        assert_eq!(written(128), [0x80, 1]);
        assert_eq!(written(300), [0xac, 2]);
        assert_eq!(written(16384), [0x80, 0x80, 1]);
        let most: Vec<u8> = std::iter::repeat_n(0xff, 9).chain([1]).collect();
        assert_eq!(written(u64::MAX), most);
    }

    #[test]
    fn a_longer_form_than_needed_is_read() {
        assert_eq!(read(&[0x82, 0x80, 0x00]), Ok(Some((2, 3))));
    }

    #[test]
    fn bits_beyond_64_are_refused_instead_of_lost() {
        let bytes: Vec<u8> = [0x88]
            .into_iter()
            .chain(std::iter::repeat_n(0x80, 8))
            .chain([0x7e])
            .collect();
        assert_eq!(read(&bytes), Err(Reason::VarintOverflow));
    }

    #[test]
    fn an_eleventh_byte_is_refused() {
        let mut bytes = [0x80; 11];
        bytes[9] = 0x81;
        assert_eq!(read(&bytes), Err(Reason::VarintTooLong));
    }

    proptest! {
        #[test]
        fn written_values_are_read_back_and_prefixes_are_incomplete(value: u64) {
            let bytes = written(value);
            prop_assert_eq!(read(&bytes), Ok(Some((value, bytes.len()))));
            for end in 0..bytes.len() {
                prop_assert_eq!(read(&bytes[..end]), Ok(None));
            }
        }
    }
}
