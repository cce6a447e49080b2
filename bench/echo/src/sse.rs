//! Event streams, as far as MCP uses them: one message per event, on one `data` line.

use crate::scan;

/// The `data` of each event in `body`. Comments, ids and the like are passed over, and so is
/// the event without data that opens a resumable stream.
pub fn data(mut body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = std::iter::from_fn(move || {
        if body.is_empty() {
            return None;
        }
        let end = scan::position(body, |b| b == b'\n').unwrap_or(body.len());
        let line = &body[..end];
        body = body.get(end + 1..).unwrap_or_default();
        Some(line)
    });
    lines
        .filter_map(|line| line.strip_prefix(b"data:"))
        .map(<[u8]>::trim_ascii)
        .filter(|data| !data.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_among_everything_else() {
        let body = b": hello\nretry: 1000\nid: 1\ndata:\n\nevent: message\r\nid: 2\r\n\
            data: {\"a\":1}\r\n\r\ndata:{\"b\":2}";
        let found: Vec<&[u8]> = data(body).collect();
        assert_eq!(found, [&b"{\"a\":1}"[..], b"{\"b\":2}"]);
    }
}
