//! References to variables, from the spelling of a client to that of the gateway: `${env:NAME}`.

use crate::clients::Client;

/// The text with the references of the gateway. `${` that is none for the client becomes `$${`, which stands for it.
pub(super) fn rewritten(client: Client, text: &str) -> String {
    match client {
        // The gateway reads theirs.
        Client::ClaudeCode | Client::Cursor | Client::Kiro | Client::VsCode | Client::Windsurf => {
            text.to_owned()
        }
        Client::OpenCode => rewrite(text, braces),
        Client::Continue => rewrite(text, secret),
        Client::Crush | Client::Gemini => rewrite(text, shell),
        Client::ClaudeDesktop
        | Client::Cline
        | Client::Codex
        | Client::Goose
        | Client::LmStudio
        | Client::Zed => rewrite(text, |_| None),
    }
}

/// The reference at the beginning of a text, and its length there.
type Found = Option<(String, usize)>;

fn rewrite(text: &str, reference: impl Fn(&str) -> Found) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match reference(rest) {
            Some((found, length)) => {
                out.push_str(&found);
                length
            }
            None if rest.starts_with("${") => {
                out.push_str("$${");
                2
            }
            None => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

/// `{env:NAME}` and `{file:PATH}` of opencode.
fn braces(text: &str) -> Found {
    let scheme = ["{env:", "{file:"]
        .into_iter()
        .find(|one| text.starts_with(one))?;
    let (name, _) = text[scheme.len()..].split_once('}')?;
    let is_name = !name.is_empty() && !name.contains(['{', '\n']);
    let length = scheme.len() + name.len() + 1;
    is_name.then(|| (format!("${scheme}{name}}}"), length))
}

/// `${{ secrets.NAME }}` of Continue.
fn secret(text: &str) -> Found {
    let (inside, _) = text.strip_prefix("${{")?.split_once("}}")?;
    let name = inside.trim().strip_prefix("secrets.")?;
    is_variable(name).then(|| (variable(name), inside.len() + 5))
}

/// `$NAME`, `${NAME}` and `${NAME:-default}` of shells.
fn shell(text: &str) -> Found {
    let rest = text.strip_prefix('$')?;
    if let Some(inside) = rest.strip_prefix('{') {
        let (inside, _) = inside.split_once('}')?;
        let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
        let is_plain = is_variable(name) && !inside.contains("${");
        return is_plain.then(|| (variable(inside), inside.len() + 3));
    }
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    is_variable(name).then(|| (variable(name), name.len() + 1))
}

pub(super) fn variable(name: &str) -> String {
    format!("${{env:{name}}}")
}

fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    name.chars().all(is_part) && name.starts_with(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_references_of_every_client_become_those_of_the_gateway() {
        let cases = [
            (
                Client::Cursor,
                "${env:A} ${userHome}",
                "${env:A} ${userHome}",
            ),
            (
                Client::OpenCode,
                "Bearer {env:A}/{file:/x y}",
                "Bearer ${env:A}/${file:/x y}",
            ),
            (Client::OpenCode, "${env:A} {env:}", "$${env:A} {env:}"),
            (
                Client::Continue,
                "${{ secrets.A }}${{inputs.B}}",
                "${env:A}$${{inputs.B}}",
            ),
            (
                Client::Gemini,
                "$A-${B}-${C:-d}-$1-$",
                "${env:A}-${env:B}-${env:C:-d}-$1-$",
            ),
            (
                Client::Crush,
                "$(pass x) ${A:-${B}}",
                "$(pass x) $${A:-${env:B}}",
            ),
            (Client::Codex, "$A ${env:A}", "$A $${env:A}"),
        ];
        for (client, text, expected) in cases {
            assert_eq!(rewritten(client, text), expected, "{client:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_without_references_stays(text in "[^${}]{0,20}") {
            for client in Client::ALL {
                prop_assert_eq!(&rewritten(client, &text), &text);
            }
        }

        #[test]
        fn a_client_without_references_gets_none(text in "[${}envA:]{0,12}") {
            let rewritten = rewritten(Client::Codex, &text);
            prop_assert_eq!(rewritten.replace("$${", "${"), text);
            prop_assert_eq!(rewritten.matches("${").count(), rewritten.matches("$${").count());
        }
    }
}
