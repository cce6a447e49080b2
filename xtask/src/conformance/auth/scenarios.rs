//! The sign-in scenarios of the suite, by the revision of their mock servers.

/// The scenarios of one revision, or those of the extensions.
pub struct Set {
    pub name: &'static str,
    /// Its name in the suite's list of scenarios.
    pub tag: &'static str,
    /// Whether the revision has a frozen list of requirements.
    pub is_scored: bool,
    parts: &'static [&'static [&'static str]],
}

impl Set {
    pub fn scenarios(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|part| part.iter().copied())
    }

    /// Extensions are skipped if a revision is named; their mock servers are those of 2025-11-25.
    pub fn args(&self) -> Vec<&'static str> {
        if self.tag == EXTENSION {
            Vec::new()
        } else {
            vec!["--spec-version", self.tag]
        }
    }
}

const EXTENSION: &str = "extension";

pub const SETS: [Set; 5] = [
    Set {
        name: "2025-03-26",
        tag: "2025-03-26",
        is_scored: false,
        parts: &[BEFORE_RESOURCE_METADATA],
    },
    Set {
        name: "2025-06-18",
        tag: "2025-06-18",
        is_scored: false,
        parts: &[CLIENT_AUTHENTICATION],
    },
    Set {
        name: "2025-11-25",
        tag: "2025-11-25",
        is_scored: true,
        parts: &[DISCOVERY_AND_SCOPE, CLIENT_AUTHENTICATION],
    },
    Set {
        name: "2026-07-28",
        tag: "2026-07-28",
        is_scored: true,
        parts: &[DISCOVERY_AND_SCOPE, CLIENT_AUTHENTICATION, ISSUERS],
    },
    Set {
        name: "extensions",
        tag: EXTENSION,
        is_scored: false,
        parts: &[EXTENSIONS],
    },
];

const BEFORE_RESOURCE_METADATA: &[&str] = &[
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
];

const CLIENT_AUTHENTICATION: &[&str] = &[
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
];

/// New with 2025-11-25.
const DISCOVERY_AND_SCOPE: &[&str] = &[
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/pre-registration",
];

/// New with 2026-07-28.
const ISSUERS: &[&str] = &[
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
];

const EXTENSIONS: &[&str] = &[
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "auth/enterprise-managed-authorization",
    "auth/dpop",
    "auth/dpop-nonce",
    "auth/wif-jwt-bearer",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_has_as_many_scenarios_as_are_reported() {
        let counts = SETS.map(|set| (set.name, set.scenarios().count()));
        let expected = [2, 3, 14, 25, 6];
        assert_eq!(counts.map(|(_, count)| count), expected);
    }
}
