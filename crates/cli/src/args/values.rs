//! Values of flags: times and sizes.

use std::time::Duration;

/// A number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())?;
    // Adding it to the current time must not overflow.
    Ok(duration.min(Duration::from_secs(1_000_000_000)))
}

/// A number of milliseconds.
pub(crate) fn millis(text: &str) -> Result<Duration, String> {
    let millis = text
        .parse()
        .map_err(|_| "not a number of milliseconds".to_owned())?;
    Ok(Duration::from_millis(millis))
}

/// A number of bytes with a unit.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize = digits
        .trim()
        .parse()
        .map_err(|_| "not a size; write for example 64MiB".to_owned())?;
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "kib" | "k" => 1 << 10,
        "mb" => 1_000_000,
        "mib" | "m" => 1 << 20,
        "gb" => 1_000_000_000,
        "gib" | "g" => 1 << 30,
        other => return Err(format!("`{other}` is not a unit; write for example 64MiB")),
    };
    match number.checked_mul(unit) {
        Some(0) | None => Err("too small or too large".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("10"), Ok(10));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("10MB"), Ok(10_000_000));
        assert_eq!(size("2 k"), Ok(2048));
        for bad in ["", "MB", "1x", "-1", "0", "99999999999999999999"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
