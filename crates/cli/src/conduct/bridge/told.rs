//! What the agent is told in place of a declaration that it cannot use.

use std::io;
use std::path::{Path, PathBuf};

use linkspan_acp::Offer;
use linkspan_wire::{Object, quote};

use super::TOKEN;
use super::keys::Secret;

/// What a server is reached by; the rest of a declaration is kept.
const WAYS: [&str; 9] = [
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

/// An ordinary stdio server that leads back to us. The secret is not among the arguments, which
/// everybody on the machine can see.
pub(super) fn stdio(offer: &Offer<'_>, program: &str, endpoint: &str, secret: &Secret) -> String {
    let env = format!(r#"[{{"name":"{TOKEN}","value":"{}"}}]"#, secret.text());
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

/// The declaration without what says how the server is reached.
fn kept<'a>(offer: &Offer<'a>) -> Object<'a> {
    let entry = Object::of(Some(offer.entry)).without(&WAYS);
    match entry.get("name") {
        Some(_) => entry,
        // The draft had names elsewhere.
        None => entry.with("name", &quote(offer.name)),
    }
}

/// Our own program, by a name that still works when its file has been replaced.
pub(super) fn program() -> io::Result<String> {
    let program = std::env::current_exe()?;
    let program = surviving(&program, std::process::id()).unwrap_or(program);
    let text = program.into_os_string().into_string();
    text.map_err(|_| io::Error::other("its path is not UTF-8"))
}

/// What Linux calls a program whose file is gone.
const GONE: &str = " (deleted)";

/// Another name for a program whose file is gone: what runs now, or the file that took its place.
fn surviving(program: &Path, pid: u32) -> Option<PathBuf> {
    let replaced = program.to_str()?.strip_suffix(GONE)?;
    // Not `self`: the agent resolves it.
    let running = PathBuf::from(format!("/proc/{pid}/exe"));
    match running.exists() {
        true => Some(running),
        false => Some(PathBuf::from(replaced)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_acp::{DeclarationId, Provider};
    use linkspan_wire::Json;

    fn offer(entry: &str, version: u64) -> Offer<'_> {
        Offer {
            ticket: DeclarationId(1),
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
    fn a_declaration_keeps_what_is_not_about_the_way() {
        let secret = Secret::new().unwrap();
        let entry =
            r#"{"type":"acp","name":"\u0062","serverId":"s","_meta":{"k": 1.0},"more":[1]}"#;
        let told = stdio(&offer(entry, 1), "/bin/l", "/run/x y", &secret);
        assert_eq!(
            masked(&told, &secret),
            r#"{"name":"\u0062","_meta":{"k": 1.0},"more":[1],"command":"/bin/l","args":["mcp","/run/x y"],"env":[{"name":"LINKSPAN_MCP_TOKEN","value":"SECRET"}]}"#
        );
    }

    #[test]
    fn the_second_version_names_the_type() {
        let secret = Secret::new().unwrap();
        let entry = r#"{"type":"http","name":"b","url":"acp:1","headers":[]}"#;
        let told = stdio(&offer(entry, 2), "/l", "7", &secret);
        assert!(told.starts_with(r#"{"name":"b","type":"stdio","command":"/l""#));
    }

    #[test]
    fn over_http_the_secret_is_a_bearer_token() {
        let secret = Secret::new().unwrap();
        let told = http(
            &offer(r#"{"transport":"http","url":"acp:1"}"#, 1),
            "http://h/",
            &secret,
        );
        assert_eq!(
            masked(&told, &secret),
            r#"{"name":"b","type":"http","url":"http://h/","headers":[{"name":"Authorization","value":"Bearer SECRET"}]}"#
        );
    }

    #[test]
    fn our_own_program_has_a_name_that_works_when_its_file_is_gone() {
        assert!(Path::new(&program().unwrap()).is_absolute());
        assert_eq!(surviving(Path::new("/x/linkspan"), 1), None);
        let gone = surviving(Path::new("/x/linkspan (deleted)"), 0).unwrap();
        assert_eq!(gone, Path::new("/x/linkspan"), "there is no process 0");
        #[cfg(target_os = "linux")]
        assert!(
            surviving(Path::new("/x/l (deleted)"), std::process::id())
                .unwrap()
                .exists()
        );
    }
}
