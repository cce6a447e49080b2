//! Permissions of a Unix socket, as a user writes them.

/// Reads three octal digits: no bits but those of reading, writing and executing.
pub fn parse_mode(text: &str) -> Result<u32, String> {
    let mode = u32::from_str_radix(text.strip_prefix("0o").unwrap_or(text), 8);
    mode.ok().filter(|mode| *mode <= 0o777).ok_or_else(|| {
        "three octal digits, such as 600 for this user only, or 660 for a group".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_octal() {
        for (text, value) in [("600", 0o600), ("0660", 0o660), ("0o666", 0o666)] {
            assert_eq!(parse_mode(text), Ok(value));
        }
        for text in ["rw", "800", "1777", "-1", ""] {
            assert!(parse_mode(text).is_err(), "{text}");
        }
    }
}
