//! The environment of a project, as a value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables by name. A value that is not UTF-8 counts as unset, but is passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vars(BTreeMap<OsString, OsString>);

impl Vars {
    /// The non-empty value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then_some(value)
    }

    /// The raw value of a variable, empty or not.
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        let value = self.get(name).map(str::to_ascii_lowercase);
        matches!(value.as_deref(), Some("true" | "1" | "yes" | "on"))
    }

    /// Whether a switch that is on by default is off.
    pub fn is_off(&self, name: &str) -> bool {
        let value = self.get(name).map(str::to_ascii_lowercase);
        value.is_some_and(|v| !matches!(v.as_str(), "true" | "1" | "yes" | "on"))
    }

    /// A number of digits; any other value counts as unset.
    pub fn number(&self, name: &str) -> Option<u64> {
        digits(self.get(name)?)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str) {
        self.0.remove(OsStr::new(name));
    }

    /// All variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(k, v)| (k.as_os_str(), v.as_os_str()))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Vars {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter().map(|(k, v)| (k.into(), v.into()));
        Self(pairs.collect())
    }
}

/// A string of only digits as a number.
pub(super) fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_not_set() {
        let vars: Vars = [("A", ""), ("B", "x")].into_iter().collect();
        assert_eq!(vars.get("A"), None);
        assert_eq!(vars.get("B"), Some("x"));
        assert!(vars.raw("A").is_some());
    }

    #[test]
    fn numbers_are_digits_only() {
        let vars: Vars = [("A", "5"), ("B", "-5"), ("C", "5s")].into_iter().collect();
        assert_eq!(vars.number("A"), Some(5));
        assert_eq!(vars.number("B"), None);
        assert_eq!(vars.number("C"), None);
    }

    #[test]
    fn switches_have_several_spellings() {
        let vars: Vars = [("A", "TRUE"), ("B", "0"), ("C", "on")]
            .into_iter()
            .collect();
        assert!(vars.is_on("A") && vars.is_on("C") && !vars.is_on("B"));
        assert!(vars.is_off("B") && !vars.is_off("D"));
    }
}
