use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::store::record::ClientAuth;

const URL: &str = "https://mcp.example.com/mcp";
/// `md5sum` of the URL.
const NAME: &str = "94baabe3c3fadb285b26c035e4e86046";
/// The same with a slash at its end.
const NAME_WITH_SLASH: &str = "009f3d837fca855373ee6bc0a55639f0";

fn write(folder: &TempDir, place: &str, name: &str, value: &Value) {
    let place = folder.path().join(place);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join(name), value.to_string()).unwrap();
}

/// What mcp-remote 0.15.1 writes.
fn sign_in(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tokens = json!({
        "access_token": "access", "token_type": "Bearer", "expires_in": 3600, "scope": "read",
        "refresh_token": "refresh", "issuer": "https://as.example",
        "expires_at": 1_800_003_600_500_u64, "requested_scope": "read write",
    });
    let client = json!({
        "redirect_uris": ["http://localhost:3335/oauth/callback"], "client_id": "client",
        "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
        "client_id_issued_at": 1_799_000_000, "issuer": "https://as.example",
    });
    let place = "mcp-remote-v1";
    write(&folder, place, &format!("{name}_tokens.json"), &tokens);
    write(&folder, place, &format!("{name}_client_info.json"), &client);
    folder
}

/// What discovery has found.
fn at(issuer: &str) -> Found {
    Found {
        issuer: issuer.to_owned(),
        resource: None,
        metadata: json!({}),
        client: None,
    }
}

#[test]
fn a_sign_in_becomes_a_record() {
    let folder = sign_in(NAME);
    let found = find(folder.path(), &Lookup::new(URL)).unwrap().unwrap();
    assert_eq!(found.issuer.as_deref(), Some("https://as.example"));
    let server = found.server.clone().unwrap();
    let record = found
        .into_record(&server, at("https://as.example"), Timestamp(5))
        .unwrap();
    assert_eq!((record.server.as_str(), record.generation), (URL, 0));
    assert_eq!(record.requested, ["read", "write"]);
    assert_eq!(record.client.client_id, "client");
    assert_eq!(record.client.auth, ClientAuth::None);
    assert!(record.client.dynamic);
    let tokens = record.tokens.unwrap();
    assert_eq!(tokens.access.expose(), "access");
    assert_eq!(tokens.refresh.unwrap().expose(), "refresh");
    assert_eq!(tokens.issued, Timestamp(1_800_000_000));
    assert_eq!(tokens.expires, Some(Timestamp(1_800_003_600)));
    assert_eq!(tokens.scope.as_deref(), Some("read"));
}

#[test]
fn tokens_of_another_issuer_are_not_used() {
    let folder = sign_in(NAME);
    let found = find(folder.path(), &Lookup::new(URL)).unwrap().unwrap();
    let server = found.server.clone().unwrap();
    let record = found.into_record(&server, at("https://other.example"), Timestamp(5));
    assert!(matches!(record, Err(ImportError::OtherIssuer { .. })));
}

#[test]
fn a_server_is_found_by_other_spellings_of_its_url() {
    for name in [NAME, NAME_WITH_SLASH] {
        let folder = sign_in(name);
        for url in [
            URL,
            "https://mcp.example.com/mcp/",
            "https://MCP.example.com:443/mcp",
        ] {
            let found = find(folder.path(), &Lookup::new(url)).unwrap();
            assert!(found.is_some(), "{url}");
        }
        let other = Lookup::new("https://mcp.example.com/sse");
        assert_eq!(find(folder.path(), &other).unwrap(), None);
    }
}

#[test]
fn flags_are_a_part_of_the_name() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let with_resource = Lookup {
        resource: Some("https://mcp.example.com".to_owned()),
        ..Lookup::new(URL)
    };
    assert!(with_resource.fits("e69880d0eae4ddee9d7b4edccccb47ca"));
    assert!(!with_resource.fits(NAME));
    // Computed with the expression of mcp-remote 0.15.1 in Node.
    let with_all = Lookup {
        authorize_params: vec![pair("prompt", "consent"), pair("access_type", "offline")],
        headers: vec![
            pair("X-Tenant", "replaced"),
            pair("X-Tenant", "a\"b\u{7}ü"),
            pair("Authorization", "Bearer ${TOKEN}"),
        ],
        client_metadata_url: Some("https://c.example/client.json".to_owned()),
        token_endpoint: Some("https://as.example/token".to_owned()),
        ..with_resource
    };
    assert!(with_all.fits("d0d3e10409d5615515a710660ffa521a"));
}

#[test]
fn everything_is_listed_with_the_servers_that_are_known() {
    let folder = sign_in(NAME);
    let name = "0123456789abcdef0123456789abcdef_tokens.json";
    write(
        &folder,
        "mcp-remote-v1",
        name,
        &json!({"access_token": "x"}),
    );
    let broken = "1123456789abcdef0123456789abcdef_tokens.json";
    write(&folder, "mcp-remote-v1", broken, &json!("a text"));
    write(&folder, "mcp-remote-v1", "notes_tokens.json", &json!({}));
    write(&folder, "other", name, &json!({}));
    let all = list(folder.path(), &[Lookup::new(URL)]).unwrap();
    assert_eq!(all.len(), 3);
    let readable: Vec<&Imported> = all.iter().flatten().collect();
    let servers: Vec<_> = readable.iter().map(|it| it.server.is_some()).collect();
    assert_eq!(servers, [false, true]);
    // Its client was given on the command line.
    assert_eq!(readable[0].client, None);
    let problem = all.iter().find_map(|it| it.as_ref().err()).unwrap();
    assert!(problem.to_string().contains(broken), "{problem}");
    assert!(!problem.to_string().contains("a text"), "{problem}");
}

#[test]
fn files_of_older_versions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = json!({"access_token": "old", "token_type": "bearer", "expires_in": "3600"});
    write(
        &folder,
        "mcp-remote-0.1.38",
        &format!("{NAME}_tokens.json"),
        &tokens,
    );
    let found = find(folder.path(), &Lookup::new(URL)).unwrap().unwrap();
    let tokens = found.tokens.unwrap();
    // The time of the file stands in for the time that was not noted.
    assert_eq!(tokens.expires, Some(Timestamp(tokens.issued.0 + 3600)));
    assert!(tokens.issued.0 > 1_700_000_000);
}

#[test]
fn a_user_without_mcp_remote_has_nothing_to_import() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join(".mcp-auth");
    assert_eq!(find(&missing, &Lookup::new(URL)).unwrap(), None);
    assert!(list(&missing, &[]).unwrap().is_empty());
}
