//! JSON with comments and trailing commas, as people write configurations.

/// The text as JSON: comments, trailing commas and a byte order mark are replaced by spaces, so that offsets stay. Text
/// that is not JSON otherwise stays as it is.
///
/// # Errors
/// The offset of a comment that has no end.
pub fn without_comments(text: &str) -> Result<String, usize> {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    let mut comma = None;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let blank = match rest {
            [0xef, 0xbb, 0xbf, ..] if at == 0 => 3,
            [b'/', b'/', ..] => {
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                end.unwrap_or(rest.len())
            }
            [b'/', b'*', inside @ ..] => {
                let end = inside.windows(2).position(|two| two == b"*/");
                end.ok_or(at)? + 4
            }
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            _ => 0,
        };
        if blank > 0 {
            for byte in out.iter_mut().skip(at).take(blank) {
                if !matches!(byte, b'\n' | b'\r' | b'\t') {
                    *byte = b' ';
                }
            }
            at += blank;
            continue;
        }
        match rest.first() {
            Some(b',') => comma = Some(at),
            Some(b']' | b'}') => {
                if let Some(byte) = comma.take().and_then(|at: usize| out.get_mut(at)) {
                    *byte = b' ';
                }
            }
            _ => comma = None,
        }
        at += match rest {
            [b'"', inside @ ..] => 1 + string(inside),
            _ => 1,
        };
    }
    // Only whole characters are replaced.
    Ok(String::from_utf8(out).unwrap_or_default())
}

/// The length of a string behind its opening quote.
fn string(inside: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = inside.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    inside.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Json;
    use proptest::prelude::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        let text = "\u{feff}{ // é\r\n \"a//b\": [1, /* ] */ 2, /* x */ ], }";
        let plain = without_comments(text).unwrap();
        assert_eq!(plain.len(), text.len());
        let json = Json::parse(&plain).unwrap();
        assert_eq!(json.get("a//b").unwrap().elements().count(), 2);
        assert!(without_comments("{} /* x").is_err_and(|at| at == 3));
        assert!(Json::parse(&without_comments("[1,,]").unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length(text in r#"([{}\[\]",:/*\\ \r\n1]|é|\PC){0,40}"#) {
            if let Ok(plain) = without_comments(&text) {
                prop_assert_eq!(plain.len(), text.len());
            }
        }

        #[test]
        fn valid_json_keeps_its_bytes(words in proptest::collection::vec(any::<String>(), 0..8)) {
            let list: Vec<_> = words.iter().map(|word| crate::quote(word)).collect();
            let text = format!("[{}]", list.join(","));
            prop_assert_eq!(without_comments(&text), Ok(text.clone()));
        }
    }
}
