//! Log levels, least severe first.

use linkspan_wire::Json;

/// A level of `notifications/message`, by how severe it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(usize);

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
    pub(crate) fn parse(json: Json<'_>) -> Option<Self> {
        let name = json.as_str()?;
        NAMES.iter().position(|known| *known == name).map(Self)
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES[self.0]
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
