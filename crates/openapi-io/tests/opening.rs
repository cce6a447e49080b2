//! Documents, and which server gets the credentials.

use linkspan_local::testing::Client;
use linkspan_openapi::OpenApiError;
use linkspan_openapi_io::{OpenApiServer, OpenError, OpenOptions};
use serde_json::{Value, json};

use crate::setup::{Server, call, client, file, options, refused};

#[tokio::test]
async fn the_server_has_the_title_and_the_tools_of_the_document() {
    let server = Server::start().await;
    let api = OpenApiServer::open(file(&server)).await.unwrap();
    let mut client = Client::over(api.backend().open().unwrap());
    let hello: Value = serde_json::from_str(&client.greet("{}").await).unwrap();
    assert_eq!(
        hello["result"]["serverInfo"],
        json!({"name": "Echo", "version": "7"})
    );
    assert_eq!(
        hello["result"]["instructions"],
        "Echo\n\nSays what it is asked."
    );
    let list: Value = serde_json::from_str(&client.ask(2, "tools/list", "{}").await).unwrap();
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 14);
    assert_eq!(tools[0]["name"], "hang");
}

#[tokio::test]
async fn a_document_is_fetched_without_credentials() {
    let server = Server::start().await;
    let mut client = client(options(format!("{}/document", server.url))).await;
    assert_eq!(call(&mut client, "private", "{}").await["isError"], false);
    let document = format!("{}/private", server.url);
    let error = refused(options(document.clone())).await;
    assert!(
        matches!(error, OpenError::Status { status: 401, .. }),
        "{error}"
    );
    assert!(error.hint().contains("--base-url"));
    let named = OpenOptions {
        base_url: Some(server.url.clone()),
        ..options(document)
    };
    assert!(OpenApiServer::open(named).await.is_ok());
}

#[tokio::test]
async fn credentials_are_not_sent_to_a_server_that_only_a_fetched_document_names() {
    let server = Server::start().await;
    let document = || format!("{}/elsewhere", server.url);
    let error = refused(options(document())).await;
    assert!(matches!(error, OpenError::OtherOrigin { .. }), "{error}");
    assert!(
        error.hint().contains("--base-url http://10.0.0.1:1/"),
        "{}",
        error.hint()
    );
    let without = OpenOptions {
        bearer_env: None,
        credential_env: Vec::new(),
        ..options(document())
    };
    let mut client = client(without).await;
    let result = call(&mut client, "large", "{}").await;
    assert!(
        result
            .to_string()
            .contains("not allowed: it is a private address"),
        "{result}"
    );
}

#[tokio::test]
async fn a_document_that_moved_is_an_error_that_says_where_it_is() {
    let server = Server::start().await;
    let error = refused(options(format!("{}/away", server.url))).await;
    assert_eq!(
        error.hint(),
        "if you trust it, use --openapi http://127.0.0.1:1/secret"
    );
}

#[tokio::test]
async fn other_documents_and_servers_are_errors() {
    let server = Server::start().await;
    let error = refused(options(format!("{}/large", server.url))).await;
    let OpenError::Document { error, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(error, OpenApiError::NotOpenApi("openapi"));
    let unix = OpenOptions {
        base_url: Some("unix:/tmp/x.sock".to_owned()),
        ..file(&server)
    };
    assert!(matches!(refused(unix).await, OpenError::UnixSocket));
    let gone = refused(options("http://127.0.0.1:1/openapi.json".to_owned())).await;
    assert!(matches!(gone, OpenError::Fetch { .. }), "{gone}");
    let missing = refused(options("/nowhere/openapi.json".to_owned())).await;
    assert!(matches!(missing, OpenError::NoFile(_)), "{missing}");
    let mistake = OpenOptions {
        credential_env: vec!["KEY".to_owned()],
        ..file(&server)
    };
    assert!(matches!(refused(mistake).await, OpenError::Credential(_)));
}
