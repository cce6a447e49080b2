//! What the user names in place of what a server publishes.

use super::*;
use crate::Secret;

#[test]
fn a_named_resource_is_in_every_request() {
    let mut world = World::modern();
    let tenant = "https://tenant.example/";
    let options = ClientOptions {
        resource: Some(tenant.to_owned()),
        ..ClientOptions::default()
    };
    let granted = world.sign_in(options.clone(), demand("")).unwrap();
    assert_eq!(granted.resource.as_deref(), Some(tenant));
    assert_eq!(world.page_param("resource").as_deref(), Some(tenant));
    assert_eq!(world.form("/token")["resource"], tenant);
    let none = ClientOptions {
        send_resource: false,
        ..options
    };
    let granted = world.sign_in(none, demand("")).unwrap();
    assert_eq!(granted.resource, None);
    assert!(!world.form("/token").contains_key("resource"));
}

#[test]
fn the_redirect_uri_has_the_named_host_and_path_everywhere() {
    let mut world = World::modern();
    let options = ClientOptions {
        callback_host: "localhost".to_owned(),
        callback_path: "/oauth/callback".to_owned(),
        ..ClientOptions::default()
    };
    let granted = world.sign_in(options.clone(), demand("")).unwrap();
    let uri = "http://localhost:4711/oauth/callback";
    assert_eq!(world.document("/register")["redirect_uris"][0], uri);
    assert_eq!(world.page_param("redirect_uri").as_deref(), Some(uri));
    assert_eq!(world.form("/token")["redirect_uri"], uri);
    // The registration is used again, but not for another path.
    world.kept = Some(granted.client);
    world.sign_in(options, demand("")).unwrap();
    assert_eq!(world.count("/register"), 1);
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 2);
}

#[test]
fn members_of_the_registration_can_be_replaced_and_added() {
    let mut world = World::modern();
    let members = json!({"client_name": "Mine", "software_id": "x"});
    let options = ClientOptions {
        registration: members.as_object().unwrap().clone(),
        ..ClientOptions::default()
    };
    world.sign_in(options, demand("")).unwrap();
    let sent = world.document("/register");
    assert_eq!(
        (&sent["client_name"], &sent["software_id"]),
        (&json!("Mine"), &json!("x"))
    );
    assert_eq!(sent["application_type"], "native");
}

#[test]
fn a_named_token_endpoint_needs_no_metadata_of_an_authorization_server() {
    let mut world = World::modern();
    let endpoint = Url::parse("https://auth.example/token").unwrap();
    let options = ClientOptions {
        grant: Grant::ClientCredentials,
        token_endpoint: Some(endpoint.clone()),
        ..given("mine", Some("secret"))
    };
    let granted = world.sign_in(options, demand("")).unwrap();
    assert_eq!(granted.issuer, "https://auth.example");
    assert_eq!(world.urls().last(), Some(&endpoint));
    assert_eq!(world.count("/.well-known/oauth-authorization-server"), 0);
    assert!(!world.form("/token").contains_key("resource"));
}

#[test]
fn the_id_token_is_the_credential_if_the_user_says_so_and_there_is_one() {
    let mut world = World::modern();
    let options = ClientOptions {
        use_id_token: true,
        ..ClientOptions::default()
    };
    let granted = world.sign_in(options.clone(), demand("")).unwrap();
    assert_eq!(granted.tokens.access.expose(), "access");
    let both = json!({"access_token": "access", "id_token": "id", "token_type": "Bearer"});
    world.answer("/token", 200, &both.to_string());
    let granted = world.sign_in(options, demand("")).unwrap();
    assert_eq!(granted.tokens.access, Secret::new("id"));
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.tokens.access, Secret::new("access"));
}
