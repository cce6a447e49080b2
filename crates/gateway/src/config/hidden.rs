//! Texts that may be secrets.

use std::fmt;

/// A text that may be a secret: it is compared and used, but its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Hidden(String);

impl Hidden {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Hidden {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}
