//! Finds the bytes that have to be escaped in a JSON string: `"`, `\` and control characters.
//!
//! 32 bytes are checked without a branch, so that the compiler uses two vector registers.

/// The index of the first special byte.
#[inline]
pub(super) fn first_special(bytes: &[u8; 32]) -> Option<usize> {
    let marks = bytes.map(|byte| {
        let special = (byte < 0x20) | (byte == b'"') | (byte == b'\\');
        if special { 0x80 } else { 0 }
    });
    let (words, _) = marks.as_chunks::<8>();
    if words
        .iter()
        .fold(0, |all, word| all | u64::from_le_bytes(*word))
        == 0
    {
        return None;
    }
    // Branch-free, because the position is unpredictable: one bit per byte.
    let bits = words.iter().rev().fold(0, |bits, word| {
        bits << 8 | gather(u64::from_le_bytes(*word))
    });
    Some(bits.trailing_zeros() as usize)
}

/// Gathers the top bits of eight bytes. The multiplication moves each bit to its position; no two bits of the
/// product overlap.
#[inline]
fn gather(marks: u64) -> u32 {
    (marks.wrapping_mul(0x0002_0408_1020_4081) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_special_byte_is_found(
            bytes: [u8; 32],
            plain in proptest::bool::ANY,
            at in 0..40_usize,
        ) {
            let mut bytes = bytes;
            if plain {
                bytes = bytes.map(|byte| if slow(byte) { byte ^ 0x80 } else { byte });
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = [b'"', b'\\', 0, 0x1F][at % 4];
                }
            }
            let expected = bytes.iter().position(|byte| slow(*byte));
            prop_assert_eq!(first_special(&bytes), expected);
        }
    }

    fn slow(byte: u8) -> bool {
        byte < 0x20 || byte == b'"' || byte == b'\\'
    }
}
