//! Sizes as people write them.

/// Why a text is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// It does not begin with a whole number.
    #[error("not a size; write for example 64MiB")]
    NoNumber,
    /// The unit is unknown.
    #[error("`{0}` is not a unit; write for example 64MiB")]
    Unit(String),
    /// It is 0, or more than this machine can address.
    #[error("too small or too large")]
    Range,
}

/// Parses a number of bytes with a unit, such as `64MiB`, `10MB` or `2 k`.
pub fn parse_size(text: &str) -> Result<usize, SizeError> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize = digits.trim().parse().map_err(|_| SizeError::NoNumber)?;
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "kib" | "k" => 1 << 10,
        "mb" => 1_000_000,
        "mib" | "m" => 1 << 20,
        "gb" => 1_000_000_000,
        "gib" | "g" => 1 << 30,
        other => return Err(SizeError::Unit(other.to_owned())),
    };
    let bytes = number.checked_mul(unit).filter(|bytes| *bytes > 0);
    bytes.ok_or(SizeError::Range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("10"), Ok(10));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert_eq!(parse_size("10MB"), Ok(10_000_000));
        assert_eq!(parse_size("2 k"), Ok(2048));
        for bad in ["", "MB", "1x", "-1", "0", "99999999999999999999"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
        let unit = parse_size("1x").unwrap_err();
        assert_eq!(
            unit.to_string(),
            "`x` is not a unit; write for example 64MiB"
        );
    }
}
