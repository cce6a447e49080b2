//! Telling ID tokens (OpenID Connect) from access tokens.
//!
//! An ID token is for the client that asked for it: it says who signed in and grants nothing. A server that takes one
//! accepts every token that any other application of the same issuer was given about the user, if the audience fits.
//!
//! The rule: a token whose `typ` is `at+jwt` (RFC 9068) is an access token. Another one is refused if it says that it is
//! an ID token (`token_use` of Cognito, the claim `typ` of Keycloak), or has a claim that only ID tokens have (`nonce`,
//! `at_hash`, `c_hash`, `s_hash`). What is left could still be an ID token, which has no claim of its own that it must
//! have; its audience is a client then, never this resource. So if the audience that is accepted is another text than
//! the resource, the token must also have a scope, or name a client that is not its audience.

use super::claims::Claims;

/// Claims that exist in ID tokens only.
const ONLY_THERE: [&str; 4] = ["nonce", "at_hash", "c_hash", "s_hash"];
/// What shows that this is an ID token; `for_resource` if its audience is the resource itself.
pub(super) fn evidence(claims: Claims<'_>, for_resource: bool) -> Option<&'static str> {
    if claims.text("token_use") == Some("id") {
        return Some("`token_use` is `id`");
    }
    if claims.text("typ") == Some("ID") {
        return Some("`typ` is `ID`");
    }
    for name in ONLY_THERE {
        if claims.0.contains_key(name) {
            return Some(match name {
                "nonce" => "it has a `nonce`",
                "at_hash" => "it has an `at_hash`",
                "c_hash" => "it has a `c_hash`",
                _ => "it has an `s_hash`",
            });
        }
    }
    let says_access =
        claims.text("token_use") == Some("access") || claims.text("typ") == Some("Bearer");
    let has_scope = claims.0.contains_key("scope") || claims.0.contains_key("scp");
    let for_other = |client: &str| !claims.audience().contains(&client);
    let is_access = says_access || has_scope || claims.client_id().is_some_and(for_other);
    (!for_resource && !is_access).then_some("it has no scope, and no client but its audience")
}
