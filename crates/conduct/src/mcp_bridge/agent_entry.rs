//! The entry of `mcpServers` that replaces a declaration.

use linkspan_acp::Offer;
use linkspan_wire::{Object, quote};

use crate::handshake::{SECRET_VARIABLE, Secret};

/// The members with the server's address; the other members of a declaration are kept.
const ADDRESS_MEMBERS: [&str; 9] = [
    "type",
    "transport",
    "serverId",
    "id",
    "url",
    "headers",
    "command",
    "args",
    "env",
];

/// A stdio server that connects to the conductor. The secret is not an argument, because all users of the
/// machine can see arguments.
pub(super) fn stdio(offer: &Offer<'_>, program: &str, endpoint: &str, secret: &Secret) -> String {
    let env = format!(
        r#"[{{"name":"{SECRET_VARIABLE}","value":"{}"}}]"#,
        secret.text()
    );
    let mut entry = kept(offer);
    if offer.version >= 2 {
        entry.push("type", r#""stdio""#);
    }
    entry.push("command", &quote(program));
    entry.push("args", &format!(r#"["mcp",{}]"#, quote(endpoint)));
    entry.push("env", &env);
    entry.text()
}

/// An HTTP server on this machine.
pub(super) fn http(offer: &Offer<'_>, url: &str, secret: &Secret) -> String {
    let headers = format!(
        r#"[{{"name":"Authorization","value":"Bearer {}"}}]"#,
        secret.text()
    );
    let mut entry = kept(offer);
    entry.push("type", r#""http""#);
    entry.push("url", &quote(url));
    entry.push("headers", &headers);
    entry.text()
}

/// The declaration without the server's address.
fn kept<'a>(offer: &Offer<'a>) -> Object<'a> {
    let entry = Object::of(Some(offer.entry)).without(&ADDRESS_MEMBERS);
    match entry.get("name") {
        Some(_) => entry,
        // In the draft the name is not a member of the entry.
        None => entry.with("name", &quote(offer.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_acp::{DeclarationId, Provider};
    use linkspan_wire::Json;

    fn offer(entry: &str, version: u64) -> Offer<'_> {
        Offer {
            declaration_id: DeclarationId(1),
            name: "b",
            provider: Provider::Server("s".to_owned()),
            owner: None,
            entry: Json::parse(entry).unwrap(),
            version,
            takes_http: true,
        }
    }

    fn masked(text: &str, secret: &Secret) -> String {
        text.replace(secret.text(), "SECRET")
    }

    #[test]
    fn members_other_than_the_address_are_kept() {
        let secret = Secret::new().unwrap();
        let entry =
            r#"{"type":"acp","name":"\u0062","serverId":"s","_meta":{"k": 1.0},"more":[1]}"#;
        let entry_text = stdio(&offer(entry, 1), "/bin/l", "/run/x y", &secret);
        assert_eq!(
            masked(&entry_text, &secret),
            r#"{"name":"\u0062","_meta":{"k": 1.0},"more":[1],"command":"/bin/l","args":["mcp","/run/x y"],"env":[{"name":"LINKSPAN_MCP_TOKEN","value":"SECRET"}]}"#
        );
    }

    #[test]
    fn version_two_names_the_type() {
        let secret = Secret::new().unwrap();
        let entry = r#"{"type":"http","name":"b","url":"acp:1","headers":[]}"#;
        let entry_text = stdio(&offer(entry, 2), "/l", "7", &secret);
        assert!(entry_text.starts_with(r#"{"name":"b","type":"stdio","command":"/l""#));
    }

    #[test]
    fn over_http_the_secret_is_a_bearer_token() {
        let secret = Secret::new().unwrap();
        let entry_text = http(
            &offer(r#"{"transport":"http","url":"acp:1"}"#, 1),
            "http://h/",
            &secret,
        );
        assert_eq!(
            masked(&entry_text, &secret),
            r#"{"name":"b","type":"http","url":"http://h/","headers":[{"name":"Authorization","value":"Bearer SECRET"}]}"#
        );
    }
}
