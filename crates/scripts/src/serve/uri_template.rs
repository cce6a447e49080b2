//! Matches URIs against RFC 6570 templates.

/// Limit of tried positions per match; far more than real templates need.
const MOST_TRIES: usize = 20_000;

/// A pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UriTemplate(Vec<Part>);

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Literal(String),
    /// `{name}`: anything up to `/`, `?` or `#`; `{+name}` and `{name*}`: anything.
    Value {
        name: String,
        anything: bool,
    },
    /// `{?a,b}` and `{&a,b}`: any of them, in any order.
    Query(Vec<String>),
}

impl UriTemplate {
    /// Parses a pattern; invalid braces are literal.
    pub(crate) fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}') else {
                break;
            };
            push_literal(&mut parts, &rest[..open]);
            expression(&mut parts, &rest[open + 1..open + close]);
            rest = &rest[open + close + 1..];
        }
        push_literal(&mut parts, rest);
        Self(parts)
    }

    /// The number of literal bytes: of several matching patterns, the one with the most is used.
    pub(crate) fn literals(&self) -> usize {
        let literal = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            _ => 0,
        };
        self.0.iter().map(literal).sum()
    }

    /// The values in a matching URI.
    pub(crate) fn values(&self, uri: &str) -> Option<Vec<(String, String)>> {
        let mut values = Vec::new();
        let mut tries = 0;
        fit(&self.0, uri, &mut values, &mut tries).then(|| {
            values.reverse();
            values
        })
    }
}

fn push_literal(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Literal(text.to_owned()));
    }
}

fn expression(parts: &mut Vec<Part>, inside: &str) {
    let operator = inside.chars().next().filter(|c| "+#./;?&".contains(*c));
    let names = &inside[operator.map_or(0, char::len_utf8)..];
    let plain = |name: &str| {
        name.trim_end_matches('*')
            .split(':')
            .next()
            .unwrap_or("")
            .to_owned()
    };
    if matches!(operator, Some('?' | '&')) {
        parts.push(Part::Query(names.split(',').map(plain).collect()));
        return;
    }
    let before = match operator {
        Some('#') => "#",
        Some('.') => ".",
        Some('/') => "/",
        _ => "",
    };
    let between = match operator {
        Some('.') => ".",
        Some('/') => "/",
        _ => ",",
    };
    for (at, name) in names.split(',').enumerate() {
        push_literal(parts, if at == 0 { before } else { between });
        parts.push(Part::Value {
            anything: matches!(operator, Some('+' | '#')) || name.ends_with('*'),
            name: plain(name),
        });
    }
}

/// Assigns values from the last to the first.
fn fit(parts: &[Part], uri: &str, values: &mut Vec<(String, String)>, tries: &mut usize) -> bool {
    *tries += 1;
    if *tries > MOST_TRIES {
        return false;
    }
    let Some((part, rest)) = parts.split_first() else {
        return uri.is_empty();
    };
    match part {
        Part::Literal(text) => uri
            .strip_prefix(text.as_str())
            .is_some_and(|uri| fit(rest, uri, values, tries)),
        Part::Query(names) => {
            let end = uri.find('#').unwrap_or(uri.len());
            let (query, after) = uri.split_at(end);
            let known = values.len();
            if !fit(rest, after, values, tries) {
                return false;
            }
            let query = query.strip_prefix(['?', '&']);
            for pair in query.into_iter().flat_map(|query| query.split('&')) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                if !names.iter().any(|known| known == name) {
                    values.truncate(known);
                    return false;
                }
                values.push((name.to_owned(), decoded(value)));
            }
            query.is_some() || end == 0
        }
        Part::Value { name, anything } => {
            let most = if *anything {
                uri.len()
            } else {
                uri.find(['/', '?', '#']).unwrap_or(uri.len())
            };
            // Longest match first; empty values are not allowed.
            for end in (1..=most).rev().filter(|end| uri.is_char_boundary(*end)) {
                if fit(rest, &uri[end..], values, tries) {
                    values.push((name.clone(), decoded(&uri[..end])));
                    return true;
                }
            }
            false
        }
    }
}

/// Decodes `%41` to `A`; keeps the text if the result is not UTF-8.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(template: &str, uri: &str) -> Option<String> {
        let values = UriTemplate::new(template).values(uri)?;
        let shown: Vec<String> = values.iter().map(|(n, v)| format!("{n}={v}")).collect();
        Some(shown.join(" "))
    }

    #[test]
    fn values_are_the_text_between_literals() {
        for (template, uri, found) in [
            (
                "test://template/{id}/data",
                "test://template/123/data",
                Some("id=123"),
            ),
            (
                "test://template/{id}/data",
                "test://template/1/2/data",
                None,
            ),
            ("test://template/{id}/data", "test://template//data", None),
            ("a://{x}-{y}", "a://1-2-3", Some("x=1-2 y=3")),
            ("a://{+path}", "a://x/y?z", Some("path=x/y?z")),
            ("a:/{/p,q}", "a://1/2", Some("p=1 q=2")),
            ("a:{x}{?q,n}", "a:1?n=2&q=a%20b", Some("x=1 n=2 q=a b")),
            ("a:{x}{?q}", "a:1", Some("x=1")),
            ("a:{x}{?q}", "a:1?other=2", None),
            ("a:{x", "a:{x", Some("")),
            ("a:{id}", "a:%41%zz%FF", Some("id=%41%zz%FF")),
            ("a:{id}", "a:%41%C3%A9", Some("id=Aé")),
            ("plain", "plain", Some("")),
            ("plain", "other", None),
        ] {
            let found = found.map(str::to_owned);
            assert_eq!(
                values(template, uri).map(sorted),
                found.map(sorted),
                "{template} {uri}"
            );
        }
    }

    fn sorted(text: String) -> Vec<String> {
        let mut all: Vec<String> = text.split(' ').map(str::to_owned).collect();
        all.sort();
        all
    }

    #[test]
    fn a_match_is_abandoned_after_too_many_tries() {
        let template = format!("a:{}!", "{+x}".repeat(30));
        assert_eq!(values(&template, &format!("a:{}", "y".repeat(200))), None);
    }

    proptest! {
        #[test]
        fn anything_may_be_a_pattern_or_an_address(template in ".{0,40}", uri in ".{0,60}") {
            let _ = values(&template, &uri);
        }
    }
}
