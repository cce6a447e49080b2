//! `{{name}}` in a text.

use crate::run::argv::next_name;

/// The distinct names of the placeholders in a text, in order.
pub(super) fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, name, after)) = next_name(rest) {
        if !found.contains(&name) {
            found.push(name);
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once_and_in_order() {
        let text = "{{b}} {{ a }} {{b}} {{}} {{not this}} {{open";
        assert_eq!(placeholders(text), ["b", "a"]);
        assert_eq!(placeholders("{{{x}}}"), Vec::<&str>::new());
    }
}
