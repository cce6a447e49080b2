//! Sign-ins of mcp-remote that are taken over.

use std::fs;
use std::path::Path;

use linkspan_auth::client::ClientOptions;
use linkspan_auth::store::Record;
use serde_json::json;

use super::World;
use super::server::{SERVER, Server};
use crate::perform::PerformError;
use crate::{import_mcp_remote, mcp_remote_lookup};

const TENANT: &str = "https://tenant.example/";
/// `md5sum` of `SERVER|TENANT`.
const NAME: &str = "25e89ddfae57f227a7ddc8adcdaaa49f";

async fn import(
    world: &World,
    folder: &Path,
    resource: Option<&str>,
) -> Result<Record, PerformError> {
    let settings = world.settings(SERVER);
    let server: &Server = &world.server;
    let client = ClientOptions {
        resource: resource.map(str::to_owned),
        ..(*settings.client).clone()
    };
    let lookup = mcp_remote_lookup(&client, SERVER, &[]);
    import_mcp_remote(&settings, server, folder, &lookup).await
}

#[tokio::test]
async fn a_sign_in_for_another_resource_is_found_by_it_and_keeps_it() {
    let world = World::new(60);
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mcp-remote-v1");
    fs::create_dir(&place).unwrap();
    let tokens = json!({"access_token": "a", "token_type": "Bearer", "refresh_token": "r"});
    let client = json!({"client_id": "c", "redirect_uris": ["http://localhost:1/oauth/callback"]});
    for (end, document) in [("tokens", tokens), ("client_info", client)] {
        let name = format!("{NAME}_{end}.json");
        fs::write(place.join(name), document.to_string()).unwrap();
    }
    for other in [None, Some(""), Some("https://tenant.example")] {
        let missing = import(&world, folder.path(), other).await.unwrap_err();
        assert!(
            matches!(missing, PerformError::NothingToImport(_)),
            "{other:?}: {missing}"
        );
    }
    let record = import(&world, folder.path(), Some(" https://tenant.example/ "));
    let record = record.await.unwrap();
    assert_eq!(record.resource.as_deref(), Some(TENANT));
    assert_eq!(record.tokens.unwrap().access.expose(), "a");
}
