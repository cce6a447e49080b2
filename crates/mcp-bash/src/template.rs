//! Matches URIs against templates: the subset of RFC 6570 that mcp-bash reverses.
//!
//! `{v}` matches characters other than `/`, `?` and `#`; `{+v}` matches any characters; `{#v}` matches `#` and
//! any characters. None of them matches the empty string. A template with any other expression matches no URI.

use serde_json::{Map, Value};

/// Longer URIs match no template.
const LONGEST: usize = 2048;

/// A matching template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The values as in the URI, sorted by name.
    pub values: Vec<(String, String)>,
    literal: usize,
    holes: usize,
}

impl Fit {
    /// The values as one JSON object.
    pub fn json(&self) -> String {
        let values = self.values.iter();
        let object: Map<_, _> = values
            .map(|(name, value)| (name.clone(), Value::String(value.clone())))
            .collect();
        Value::Object(object).to_string()
    }
}

/// The best match: most literal characters, then fewest variables, then by name.
pub fn best<'a, T>(
    uri: &str,
    templates: impl IntoIterator<Item = (&'a str, &'a str, T)>,
) -> Option<(T, Fit)> {
    let plain = !uri
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || c == '\u{feff}');
    if uri.chars().count() > LONGEST || !plain {
        return None;
    }
    let fits = templates.into_iter().filter_map(|(name, template, what)| {
        let fit = fit(uri, template)?;
        Some(((std::cmp::Reverse(fit.literal), fit.holes, name), what, fit))
    });
    fits.min_by(|a, b| a.0.cmp(&b.0))
        .map(|(_, what, fit)| (what, fit))
}

enum Part<'a> {
    Literal(String),
    Hole { name: &'a str, wide: bool },
}

fn fit(uri: &str, template: &str) -> Option<Fit> {
    let parts = parse(template)?;
    let chars: Vec<char> = uri.chars().collect();
    let mut values = walk(&chars, &parts)?;
    values.sort();
    let literal = parts.iter().map(|p| match p {
        Part::Literal(text) => text.chars().count(),
        Part::Hole { .. } => 0,
    });
    Some(Fit {
        literal: literal.sum(),
        holes: values.len(),
        values,
    })
}

fn parse(template: &str) -> Option<Vec<Part<'_>>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut rest = template;
    let literal = |parts: &mut Vec<Part<'_>>, text: &str| match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Literal(before)) => before.push_str(text),
        _ => parts.push(Part::Literal(text.to_owned())),
    };
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = (&rest[..at], rest[at..].strip_prefix('{')?);
        literal(&mut parts, before);
        let (inside, next) = after.split_once('}')?;
        let (wide, name) = match inside.strip_prefix('#') {
            Some(name) => {
                literal(&mut parts, "#");
                (true, name)
            }
            None => inside
                .strip_prefix('+')
                .map_or((false, inside), |name| (true, name)),
        };
        let usable =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let again = parts
            .iter()
            .any(|p| matches!(p, Part::Hole { name: other, .. } if *other == name));
        // The boundary between two adjacent variables is ambiguous.
        let touching = matches!(parts.last(), Some(Part::Hole { .. }));
        if !usable || again || touching {
            return None;
        }
        parts.push(Part::Hole { name, wide });
        rest = next;
    }
    literal(&mut parts, rest);
    Some(parts)
}

/// Assigns the shortest possible values from left to right.
fn walk(uri: &[char], parts: &[Part<'_>]) -> Option<Vec<(String, String)>> {
    // fits[i][p]: parts[i..] can match uri[p..].
    let mut fits = vec![vec![false; uri.len() + 1]; parts.len() + 1];
    fits[parts.len()][uri.len()] = true;
    for (i, part) in parts.iter().enumerate().rev() {
        for p in 0..=uri.len() {
            fits[i][p] = match part {
                Part::Literal(text) => {
                    let end = p + text.chars().count();
                    end <= uri.len()
                        && fits[i + 1][end]
                        && text.chars().eq(uri[p..end].iter().copied())
                }
                Part::Hole { wide, .. } => hole(uri, p, *wide, &fits[i + 1]).is_some(),
            };
        }
    }
    let mut values = Vec::new();
    let mut p = 0;
    if !fits[0][0] {
        return None;
    }
    for (i, part) in parts.iter().enumerate() {
        p = match part {
            Part::Literal(text) => p + text.chars().count(),
            Part::Hole { name, wide } => {
                let end = hole(uri, p, *wide, &fits[i + 1])?;
                values.push((name.to_string(), uri[p..end].iter().collect()));
                end
            }
        };
    }
    Some(values)
}

/// The first end after `from` at which the rest matches.
fn hole(uri: &[char], from: usize, wide: bool, fits: &[bool]) -> Option<usize> {
    for end in from + 1..=uri.len() {
        if !wide && matches!(uri[end - 1], '/' | '?' | '#') {
            return None;
        }
        if fits[end] {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(uri: &str, template: &str) -> Option<String> {
        fit(uri, template).map(|fit| fit.json())
    }

    #[test]
    fn variables_match_their_characters() {
        let json = |text: &str| Some(text.to_owned());
        assert_eq!(
            values("kv://item/42/a/b%2Fc", "kv://item/{id}/{+rest}"),
            json(r#"{"id":"42","rest":"a/b%2Fc"}"#)
        );
        assert_eq!(values("x://a/b", "x://{v}"), None);
        assert_eq!(values("x://", "x://{v}"), None);
        assert_eq!(values("x://a#b/c", "x://a{#f}"), json(r#"{"f":"b/c"}"#));
        assert_eq!(values("x://abab", "x://{+v}ab"), json(r#"{"v":"ab"}"#));
        assert_eq!(values("x://é", "x://{v}"), json(r#"{"v":"é"}"#));
    }

    #[test]
    fn unsupported_expressions_match_nothing() {
        for template in [
            "x://{ids*}",
            "x://{a}{b}",
            "x://{a,b}",
            "x://{a}/{a}",
            "x://{?q}",
            "x://{",
            "x://}",
            "x://{}",
        ] {
            assert_eq!(values("x://1", template), None, "{template}");
        }
    }

    #[test]
    fn ties_are_broken_by_literals_variables_and_name() {
        let templates = [
            ("b", "x://{v}", 1),
            ("a", "x://{v}", 2),
            ("c", "x://item-{v}", 3),
        ];
        assert_eq!(best("x://item-1", templates).unwrap().0, 3);
        assert_eq!(best("x://1", templates).unwrap().0, 2);
        assert!(best("x://a b", templates).is_none());
        assert!(best(&format!("x://{}", "a".repeat(3000)), templates).is_none());
    }
}
