//! Numbers with units: `30`, `"2m"`, `"10 MiB"`.

use std::time::Duration;

use super::node::{Data, Node};

/// Limit of durations: a week, in seconds.
const LONGEST: f64 = 7.0 * 24.0 * 3600.0;

/// A value of the wrong type for a field, as it is shown in the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnitError {
    #[error("must be seconds, or a text like \"500ms\", \"30s\", \"5m\" or \"1h\", not {0}")]
    Seconds(String),
    #[error("must be positive and at most a week, not {0}")]
    Range(String),
    #[error("must be bytes, or a text like \"64k\", \"10 MB\" or \"1 GiB\", not {0}")]
    Bytes(String),
    #[error("must be a whole number, not {0}")]
    Count(String),
}

/// A duration: a number of seconds, or a text with a unit.
pub(super) fn seconds(node: &Node) -> Result<Duration, UnitError> {
    let expected = || UnitError::Seconds(shown(node));
    let seconds = match &node.data {
        Data::Number(number, _) => number.as_f64().ok_or_else(expected)?,
        Data::Text(text) => {
            let (number, unit) = split(text).ok_or_else(expected)?;
            let factor = match unit {
                "ms" => 0.001,
                "" | "s" | "sec" | "secs" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                _ => return Err(expected()),
            };
            number * factor
        }
        _ => return Err(expected()),
    };
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(UnitError::Range(shown(node)));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A size: a number of bytes, or a text with a unit. `k` and `KiB` are 1024, `kB` is 1000.
pub(super) fn bytes(node: &Node) -> Result<u64, UnitError> {
    let expected = || UnitError::Bytes(shown(node));
    let bytes = match &node.data {
        Data::Number(number, _) => return number.as_u64().ok_or_else(expected),
        Data::Text(text) => {
            let (number, unit) = split(text).ok_or_else(expected)?;
            let factor: u64 = match unit {
                "" | "b" | "B" => 1,
                "kB" | "KB" => 1_000,
                "k" | "K" | "KiB" => 1 << 10,
                "MB" => 1_000_000,
                "m" | "M" | "MiB" => 1 << 20,
                "GB" => 1_000_000_000,
                "g" | "G" | "GiB" => 1 << 30,
                _ => return Err(expected()),
            };
            number * factor as f64
        }
        _ => return Err(expected()),
    };
    if bytes >= 0.0 && bytes < (1u64 << 53) as f64 {
        Ok(bytes as u64)
    } else {
        Err(expected())
    }
}

/// A non-negative whole number.
pub(super) fn count(node: &Node) -> Result<u64, UnitError> {
    let number = match &node.data {
        Data::Number(number, _) => number.as_u64(),
        _ => None,
    };
    number.ok_or_else(|| UnitError::Count(shown(node)))
}

fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    Some((number.parse().ok()?, unit.trim_start()))
}

/// A value in a message: itself if it is short, else its type.
pub(super) fn shown(node: &Node) -> String {
    match node.scalar() {
        Some(text) if text.len() <= 40 => match node.data {
            Data::Text(_) => format!("{text:?}"),
            _ => text.to_owned(),
        },
        _ => node.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::new(1, Data::Text(text.to_owned()))
    }

    fn number(number: u64) -> Node {
        Node::new(1, Data::Number(number.into(), number.to_string()))
    }

    #[test]
    fn seconds_may_have_a_unit() {
        assert_eq!(seconds(&number(30)), Ok(Duration::from_secs(30)));
        assert_eq!(seconds(&text("500ms")), Ok(Duration::from_millis(500)));
        assert_eq!(seconds(&text("1.5 m")), Ok(Duration::from_secs(90)));
        assert_eq!(seconds(&text("1h")), Ok(Duration::from_secs(3600)));
    }

    #[test]
    fn invalid_seconds_are_refused() {
        for node in [
            number(0),
            number(u64::MAX),
            text("soon"),
            text("-1"),
            text("5d"),
        ] {
            assert!(seconds(&node).is_err(), "{node:?}");
        }
        assert_eq!(
            seconds(&text("5d")).unwrap_err().to_string(),
            "must be seconds, or a text like \"500ms\", \"30s\", \"5m\" or \"1h\", not \"5d\""
        );
    }

    #[test]
    fn bytes_may_have_a_unit() {
        assert_eq!(bytes(&number(7)), Ok(7));
        assert_eq!(bytes(&text("64k")), Ok(65_536));
        assert_eq!(bytes(&text("10 MB")), Ok(10_000_000));
        assert_eq!(bytes(&text("1.5 GiB")), Ok(1_610_612_736));
        assert!(bytes(&text("1e400")).is_err());
        assert!(bytes(&text("ten")).is_err());
    }
}
