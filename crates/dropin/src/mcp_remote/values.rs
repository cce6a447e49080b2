//! Values of single flags.

use std::time::Duration;

use linkspan_ports::Transport;

/// `NAME: VALUE`, with or without the space.
pub(super) fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fits = !name.is_empty() && name.chars().all(is_name);
    fits.then(|| (name.to_owned(), value.trim().to_owned()))
}

/// The lines of a header file: headers, and the numbers of those that are none.
pub(super) fn header_file(text: &str) -> (Vec<(String, String)>, Vec<usize>) {
    let (mut headers, mut bad) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match header(line) {
            Some(header) => headers.push(header),
            None => bad.push(number),
        }
    }
    (headers, bad)
}

/// A number of seconds.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    Some(duration.min(Duration::from_secs(1_000_000_000)))
}

/// A number of seconds that is not 0.
pub(super) fn some_seconds(text: &str) -> Option<Duration> {
    seconds(text).filter(|duration| !duration.is_zero())
}

/// The beginning of a text, as a whole number: `30s` is 30.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..digits].parse().ok()
}

/// A strategy.
pub(super) fn transport(word: &str) -> Option<Transport> {
    match word {
        "http-first" | "sse-first" => Some(Transport::Auto),
        "http-only" => Some(Transport::Http),
        "sse-only" => Some(Transport::Sse),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_taken_with_and_without_a_space() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(header("A: b c"), pair("A", "b c"));
        assert_eq!(header("Authorization:${T}"), pair("Authorization", "${T}"));
        assert_eq!(header("no colon"), None);
        assert_eq!(header("a b: c"), None);
        let (headers, bad) = header_file("# c\r\n\r\nA: 1\r\noops\nB:2\n");
        assert_eq!(
            headers,
            [("A".into(), "1".into()), ("B".into(), "2".into())]
        );
        assert_eq!(bad, [4]);
    }

    #[test]
    fn numbers_are_read_as_the_original_reads_them() {
        assert_eq!(seconds("0"), Some(Duration::ZERO));
        assert_eq!(some_seconds("0"), None);
        assert_eq!(some_seconds("1.5"), Some(Duration::from_millis(1500)));
        for bad in ["-1", "NaN", "inf", "x", ""] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        assert_eq!(leading_number("30s"), Some(30));
        assert_eq!(leading_number("s30"), None);
    }
}
