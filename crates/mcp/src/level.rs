//! Log levels, least severe first.

use linkspan_wire::Json;

/// A level of `notifications/message`, ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(usize);

const NAMES: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

impl Level {
    /// The level if the client has set none.
    pub const DEFAULT: Self = Self(1);
    /// `warning`
    pub const WARNING: Self = Self(3);
    /// `error`
    pub const ERROR: Self = Self(4);

    /// Parses a level.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(Self)
    }

    /// The level of a JSON string.
    pub fn parse(json: Json<'_>) -> Option<Self> {
        Self::named(&json.as_str()?)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// All names, least severe first.
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_worse_than_a_notice() {
        let level = |text| Level::parse(Json::parse(text).unwrap());
        assert!(level(r#""error""#) > level(r#""notice""#));
        assert_eq!(level(r#""loud""#), None);
    }
}
