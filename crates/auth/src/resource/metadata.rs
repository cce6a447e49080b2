//! The metadata of a protected resource (RFC 9728).

use serde_json::{Map, Value};

use super::policy::{DpopMode, Policy};

/// The beginning of the paths where the document is.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The scope of refresh tokens, which are between the client and the authorization server.
const OFFLINE: &str = "offline_access";

/// What clients learn about a protected resource before they sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// The URL of the endpoint.
    pub resource: String,
    /// The authorization servers; at least one.
    pub authorization_servers: Vec<String>,
    /// The scopes that a client needs to begin with.
    pub scopes: Vec<String>,
    /// A name for people.
    pub resource_name: Option<String>,
    /// Where the keys are that sign what this resource says about its callers.
    pub jwks_uri: Option<String>,
    /// Whether tokens may or must be bound to a key.
    pub dpop: DpopMode,
}

impl ResourceMetadata {
    /// The metadata that follows from a policy.
    pub fn of(policy: &Policy) -> Self {
        Self {
            resource: policy.resource.clone(),
            authorization_servers: policy.issuers.clone(),
            scopes: policy.scopes.clone(),
            resource_name: None,
            jwks_uri: None,
            dpop: policy.dpop,
        }
    }

    /// The document.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |name: &str, value: Value| json.insert(name.to_owned(), value);
        put("resource", self.resource.as_str().into());
        put(
            "authorization_servers",
            self.authorization_servers.clone().into(),
        );
        let scopes = self.scopes.iter().filter(|scope| *scope != OFFLINE);
        let scopes: Vec<String> = scopes.cloned().collect();
        if !scopes.is_empty() {
            put("scopes_supported", scopes.into());
        }
        put("bearer_methods_supported", vec!["header"].into());
        if let Some(name) = &self.resource_name {
            put("resource_name", name.as_str().into());
        }
        if let Some(uri) = &self.jwks_uri {
            put("jwks_uri", uri.as_str().into());
        }
        if self.dpop != DpopMode::Off {
            let names = super::dpop::algorithms();
            put("dpop_signing_alg_values_supported", names.into());
        }
        if self.dpop == DpopMode::Required {
            put("dpop_bound_access_tokens_required", true.into());
        }
        json.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_document_has_the_members_of_the_specification() {
        let mut policy = Policy::new("https://h/mcp", vec!["https://as".to_owned()]);
        policy.dpop = DpopMode::Off;
        let expected = json!({
            "resource": "https://h/mcp",
            "authorization_servers": ["https://as"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!(ResourceMetadata::of(&policy).to_json(), expected);
        policy.dpop = DpopMode::Required;
        policy.scopes = vec!["read".to_owned(), "offline_access".to_owned()];
        let json = ResourceMetadata::of(&policy).to_json();
        assert_eq!(json["scopes_supported"], json!(["read"]));
        assert_eq!(json["dpop_bound_access_tokens_required"], true);
    }
}
