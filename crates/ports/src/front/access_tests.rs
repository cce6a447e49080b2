//! Tests of `access.rs`.

use super::*;
use http::Request;

fn rules(change: impl FnOnce(&mut FrontOptions)) -> AccessRules {
    let mut options = FrontOptions::default();
    change(&mut options);
    let bound = SocketAddr::from(([192, 168, 1, 5], 8808));
    AccessRules::new(&options, Some(bound))
}

fn head(uri: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn status(rules: &AccessRules, uri: &str, headers: &[(&str, &str)]) -> u16 {
    let admitted = rules.admit(&head(uri, headers));
    admitted.map_or_else(|refusal| refusal.into_response().status().as_u16(), |_| 200)
}

#[test]
fn only_our_own_names_are_served_with_any_port() {
    let rules = rules(|o| o.hosts.push("mcp.example:81".into()));
    let host = |host| status(&rules, "/mcp", &[("host", host)]);
    for good in [
        "localhost",
        "LocalHost:3000",
        "127.0.0.1:8808",
        "[::1]",
        "[::1]:8808",
        "192.168.1.5:8808",
        "mcp.example:81",
    ] {
        assert_eq!(host(good), 200, "{good}");
    }
    for bad in [
        "evil.example",
        "evil.example:8808",
        "localhost.evil.example",
        "localhost@evil.example",
        "127.0.0.1.evil.example",
        "mcp.example",
        "mcp.example:82",
        "::1",
        "",
    ] {
        assert_eq!(host(bad), 403, "{bad}");
    }
}

#[test]
fn a_request_names_its_host_once_and_the_request_line_counts() {
    let rules = rules(|_| {});
    assert_eq!(status(&rules, "/mcp", &[]), 400);
    let twice = [("host", "localhost"), ("host", "localhost")];
    assert_eq!(status(&rules, "/mcp", &twice), 400);
    let line = "http://evil.example/mcp";
    assert_eq!(status(&rules, line, &[("host", "localhost")]), 403);
}

#[test]
fn pages_of_other_machines_are_kept_out() {
    let plain = rules(|o| o.origins.push("https://app.example".into()));
    let origin = |rules: &AccessRules, origin| {
        let headers = [("host", "localhost"), ("origin", origin)];
        status(rules, "/mcp", &headers)
    };
    for good in [
        "http://localhost",
        "https://localhost:6274",
        "http://127.0.0.1:3000",
        "http://[::1]:3000",
        "https://app.example",
    ] {
        assert_eq!(origin(&plain, good), 200, "{good}");
    }
    for bad in [
        "null",
        "http://evil.example",
        "http://localhost.evil.example",
        "https://app.example:444",
        "file://localhost",
        "",
    ] {
        assert_eq!(origin(&plain, bad), 403, "{bad}");
    }
    let open = rules(|o| o.origins.push("*".into()));
    assert_eq!(origin(&open, "http://evil.example"), 200);
}

#[test]
fn a_page_that_is_let_in_may_read_the_session_id() {
    let headers = [("host", "localhost"), ("origin", "http://localhost:6274")];
    let admitted = rules(|_| {}).admit(&head("/mcp", &headers)).unwrap();
    let mut response = preflight(&head("/mcp", &[("access-control-request-headers", "x")]).headers);
    admitted.stamp(&mut response);
    let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
    assert_eq!(
        header("access-control-allow-origin"),
        "http://localhost:6274"
    );
    assert_eq!(header("access-control-expose-headers"), "Mcp-Session-Id");
    assert_eq!(header("access-control-allow-headers"), "x");
    assert_eq!(header("vary"), "Origin");
}

#[test]
fn the_token_is_wanted_where_there_is_one() {
    let open = rules(|_| {});
    assert!(open.authorize(&HeaderMap::new()).is_ok());
    let rules = rules(|o| o.token = Token::parse("s3cret"));
    let shows = |value| rules.authorize(&head("/", &[("authorization", value)]).headers);
    assert!(shows("Bearer s3cret").is_ok());
    assert!(shows("bearer  s3cret").is_ok());
    for bad in [
        "Bearer s3cre",
        "Bearer s3crets",
        "Basic s3cret",
        "s3cret",
        "Bearer",
    ] {
        assert!(shows(bad).is_err(), "{bad}");
    }
    let refusal = rules.authorize(&HeaderMap::new()).unwrap_err();
    let response = refusal.into_response();
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers()["www-authenticate"], "Bearer");
}
