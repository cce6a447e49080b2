//! Just enough reading to know whose answer came back.

use linkspan_bench::scan::find;

/// A line that the bridge wrote.
#[derive(Debug, PartialEq)]
pub enum Line {
    Answer(u64),
    /// The server side asks us something; its id as written.
    Question {
        id: Vec<u8>,
        is_ping: bool,
    },
    /// A notification, or noise.
    Other,
}

const EDGE: usize = 256;

/// Looks only at the two ends of a long line: serialisers write `id` and `method` first
/// or last, and searching 10 MB would be measured as the bridge's time.
pub fn classify(line: &[u8]) -> Line {
    if let Some(rest) = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)
        && let Some((id, rest)) = digits(rest)
        && rest.starts_with(b",\"result\":")
    {
        return Line::Answer(id);
    }
    let ends = [edge(line), &line[line.len().saturating_sub(EDGE)..]];
    let is_call = ends.iter().any(|end| find(end, b"\"method\":").is_some());
    for end in ends {
        let Some(at) = find(end, b"\"id\":") else {
            continue;
        };
        let value = end[at + 5..].trim_ascii_start();
        if is_call {
            let len = value
                .iter()
                .position(|b| matches!(b, b',' | b'}'))
                .unwrap_or(value.len());
            let is_ping = find(line, b"\"ping\"").is_some();
            return Line::Question {
                id: value[..len].trim_ascii().to_vec(),
                is_ping,
            };
        }
        if let Some((id, _)) = digits(value) {
            return Line::Answer(id);
        }
    }
    Line::Other
}

/// A correct client answers the server's questions; this one offers nothing but `ping`.
pub fn reply_to(id: &[u8], is_ping: bool) -> Vec<u8> {
    let mut out = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    out.extend_from_slice(id);
    out.extend_from_slice(if is_ping {
        br#","result":{}}"#
    } else {
        br#","error":{"code":-32601,"message":"method not found"}}"#
    });
    out
}

pub fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(edge(text));
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(160).collect()
}

/// The beginning of a long line.
pub fn edge(line: &[u8]) -> &[u8] {
    &line[..line.len().min(EDGE)]
}

fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let len = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    let id = std::str::from_utf8(&text[..len]).ok()?.parse().ok()?;
    Some((id, &text[len..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_answers_wherever_the_id_stands() {
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","id":12,"result":{}}"#),
            Line::Answer(12)
        );
        assert_eq!(
            classify(br#"{"result":{"x":[]},"jsonrpc":"2.0","id": 3}"#),
            Line::Answer(3)
        );
        let long = format!(r#"{{"result":"{}","id":4}}"#, "x".repeat(5000));
        assert_eq!(classify(long.as_bytes()), Line::Answer(4));
    }

    #[test]
    fn knows_questions_and_the_rest() {
        let ping = br#"{"jsonrpc":"2.0","id":"s-1","method":"ping"}"#;
        assert_eq!(
            classify(ping),
            Line::Question {
                id: b"\"s-1\"".to_vec(),
                is_ping: true
            }
        );
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
            Line::Other
        );
        assert_eq!(classify(b"starting up..."), Line::Other);
    }
}
