//! What texts begin and end with.

/// How many bytes two texts begin with alike. Not always whole characters.
#[inline]
pub(crate) fn same_start(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(a, b)| a == b).count()
}

/// How many bytes two texts end with alike.
#[inline]
pub(crate) fn same_end(one: &str, other: &str) -> usize {
    let pairs = one.bytes().rev().zip(other.bytes().rev());
    pairs.take_while(|(a, b)| a == b).count()
}
