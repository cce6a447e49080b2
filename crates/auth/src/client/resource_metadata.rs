//! Metadata of a protected resource (RFC 9728): which authorization server a server belongs to.

use url::Url;

use super::error::{SignInError, shown};
use crate::members::Members;
use crate::urls::is_repeatable;
use crate::{HttpResponse, without_secrets};

/// Where the document is by default.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What matters of the document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ResourceMetadata {
    /// The resource, to be repeated exactly as it is written here.
    pub(super) resource: Option<String>,
    pub(super) authorization_servers: Vec<String>,
    pub(super) scopes_supported: Option<Vec<String>>,
    pub(super) dpop_bound_access_tokens_required: bool,
}

/// Where the document may be, in this order: where the server says, at the server's path, at the root.
pub(super) fn candidates(server: &Url, named: Option<&Url>) -> Vec<Url> {
    let at = |path: &str| {
        let mut url = server.clone();
        url.set_path(path);
        url.set_query(None);
        url.set_fragment(None);
        url
    };
    let path = server.path().trim_end_matches('/');
    let mut all: Vec<Url> = named.cloned().into_iter().collect();
    for url in [at(&format!("{WELL_KNOWN}{path}")), at(WELL_KNOWN)] {
        if !all.contains(&url) {
            all.push(url);
        }
    }
    all
}

/// Reads a document and checks that it is about this server. Members that cannot be read are ignored, except for those
/// that decide where we sign in.
pub(super) fn read(
    from: &Url,
    response: &HttpResponse,
    server: &Url,
) -> Result<ResourceMetadata, SignInError> {
    let members = Members::read(&response.body).ok_or_else(|| SignInError::Metadata {
        url: from.to_string(),
        why: "it is not a JSON object".to_owned(),
    })?;
    let unusable = |name, expected| SignInError::Member {
        url: from.to_string(),
        name,
        expected,
    };
    let mut resource = members.owned("resource");
    if resource.is_none() && members.has("resource") {
        return Err(unusable("resource", "a text"));
    }
    if let Some(resource) = resource.as_ref().filter(|it| !covers(it, server)) {
        return Err(SignInError::ResourceMismatch {
            server: without_secrets(server).into(),
            published: shown(resource),
        });
    }
    let name = "authorization_servers";
    let authorization_servers = members.texts(name).unwrap_or_default();
    if authorization_servers.is_empty() && members.has(name) && !members.is_empty_list(name) {
        return Err(unusable(name, "a list of texts"));
    }
    if resource.is_none() && !authorization_servers.is_empty() {
        // RFC 9728 requires it, and tokens without a resource would be good elsewhere, too.
        resource = Some(without_secrets(server).into());
    }
    Ok(ResourceMetadata {
        resource,
        authorization_servers,
        scopes_supported: members.texts("scopes_supported"),
        dpop_bound_access_tokens_required: members.flag("dpop_bound_access_tokens_required"),
    })
}

/// Whether a server is a part of a published resource: the same origin, and the resource's path is the beginning of
/// the server's, whole segments only.
fn covers(resource: &str, server: &Url) -> bool {
    let Some(resource) = Url::parse(resource)
        .ok()
        .filter(|_| is_repeatable(resource))
    else {
        return false;
    };
    let above = resource.path().trim_end_matches('/');
    let below = server.path().trim_end_matches('/');
    let rest = below.strip_prefix(above);
    resource.origin() == server.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_place_comes_first_and_the_root_last() {
        let server = Url::parse("https://h:1/a/mcp?x=1").unwrap();
        let named = Url::parse("https://h:1/custom").unwrap();
        let urls = |named| -> Vec<String> {
            let all = candidates(&server, named);
            all.iter().map(Url::to_string).collect()
        };
        let path = "https://h:1/.well-known/oauth-protected-resource/a/mcp";
        let root = "https://h:1/.well-known/oauth-protected-resource";
        assert_eq!(urls(Some(&named)), ["https://h:1/custom", path, root]);
        assert_eq!(urls(None), [path, root]);
        let bare = candidates(&Url::parse("https://h/").unwrap(), None);
        assert_eq!(bare.len(), 1);
    }

    #[test]
    fn a_document_without_a_resource_is_about_the_server() {
        let server = Url::parse("https://h/mcp?api_key=k#x").unwrap();
        let resource = |body: &str| {
            let response = HttpResponse {
                status: 200,
                body: body.into(),
                ..HttpResponse::default()
            };
            read(&server, &response, &server).unwrap().resource
        };
        let named = resource(r#"{"authorization_servers":["https://as"]}"#);
        assert_eq!(named.as_deref(), Some("https://h/mcp"));
        assert_eq!(resource("{}"), None, "that says nothing");
    }

    #[test]
    fn a_resource_covers_what_is_below_it() {
        let server = Url::parse("https://h/a/mcp").unwrap();
        for resource in ["https://h", "https://h/", "https://h/a", "https://H/a/mcp/"] {
            assert!(covers(resource, &server), "{resource}");
        }
        for resource in [
            "https://evil.example/a/mcp",
            "http://h/a/mcp",
            "https://h:8443/a/mcp",
            "https://h/a/m",
            "https://h/b",
            "https://h/a/mcp/x",
            "nonsense",
            "https://h/a\u{1b}[31m",
            "https://h/a\n",
            " https://h/a",
            &format!("https://h/a?{}", "x".repeat(3000)),
        ] {
            assert!(!covers(resource, &server), "{resource}");
        }
    }
}
