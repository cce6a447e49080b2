//! Looking for bytes in large texts at memory speed: what the benchmark itself spends on a
//! message of 10 MB would be taken for the bridge's time.

/// Position of the first byte that `wanted` accepts.
pub fn position(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    // Without a branch per byte the compiler makes vector instructions of this.
    let clean = |block: &&[u8]| !block.iter().fold(false, |any, b| any | wanted(*b));
    let at = text.chunks_exact(BLOCK).take_while(clean).count() * BLOCK;
    let rest = text[at..].iter().position(|b| wanted(*b))?;
    Some(at + rest)
}

/// Position of `needle` in `text`.
pub fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, rest) = needle.split_first()?;
    let mut at = 0;
    while let Some(step) = position(&text[at..], |b| b == *first) {
        at += step + 1;
        if text[at..].starts_with(rest) {
            return Some(at - 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_byte_wherever_it_stands() {
        for at in [0, 1, 63, 64, 65, 127, 128, 199] {
            let mut text = [b'x'; 200];
            text[at] = b'"';
            text[199] = b'"';
            assert_eq!(position(&text, |b| b == b'"'), Some(at));
        }
        assert_eq!(position(&[b'x'; 200], |b| b == b'"'), None);
        assert_eq!(position(b"", |b| b == b'"'), None);
    }

    #[test]
    fn finds_a_needle_after_a_false_start() {
        assert_eq!(find(b"aab", b"ab"), Some(1));
        assert_eq!(find(b"\r\n\r\r\n\r\n", b"\r\n\r\n"), Some(3));
        assert_eq!(find(b"aa", b"aab"), None);
    }
}
