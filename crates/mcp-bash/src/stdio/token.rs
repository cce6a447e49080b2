//! A secret that every request must contain, for servers behind a proxy.

use linkspan_wire::Json;
use serde_json::Value;

use super::super::vars::Vars;

/// Shorter secrets can be guessed.
const SHORTEST: usize = 32;

/// The secret, and the members of `_meta` that may contain it.
#[derive(Clone)]
pub struct Token {
    secret: String,
    keys: [String; 2],
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// The secret is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("MCPBASH_REMOTE_TOKEN has fewer than {SHORTEST} characters")]
pub struct TokenError;

impl Token {
    /// The secret that the operator has set, if any.
    pub fn of(vars: &Vars) -> Result<Option<Self>, TokenError> {
        let Some(secret) = vars.get("MCPBASH_REMOTE_TOKEN") else {
            return Ok(None);
        };
        if secret.chars().count() < SHORTEST {
            return Err(TokenError);
        }
        Ok(Some(Self {
            secret: secret.to_owned(),
            keys: keys(vars),
        }))
    }

    /// Whether a request contains the secret.
    pub(super) fn fits(&self, request: Json<'_>) -> bool {
        let meta = request.path(&["params", "_meta"]);
        let given = self.keys.iter().find_map(|key| meta?.get(key)?.as_str());
        given.is_some_and(|given| same(&self.secret, &given))
    }
}

fn keys(vars: &Vars) -> [String; 2] {
    [
        ("MCPBASH_REMOTE_TOKEN_KEY", "mcpbash/remoteToken"),
        ("MCPBASH_REMOTE_TOKEN_FALLBACK_KEY", "remoteToken"),
    ]
    .map(|(name, usual)| vars.get(name).unwrap_or(usual).to_owned())
}

/// Compares in constant time.
fn same(secret: &str, given: &str) -> bool {
    let (a, b) = (secret.as_bytes(), given.as_bytes());
    let longest = a.len().max(b.len());
    let mut differ = a.len() ^ b.len();
    for at in 0..longest {
        let byte = |text: &[u8]| text.get(at).copied().unwrap_or(0);
        differ |= usize::from(byte(a) ^ byte(b));
    }
    std::hint::black_box(differ) == 0
}

/// The `_meta` of a request without the secret. A value other than an object becomes `{}`.
pub fn without_token(meta: Option<&str>, vars: &Vars) -> String {
    let Some(text) = meta else {
        return "{}".to_owned();
    };
    let Ok(Value::Object(mut meta)) = serde_json::from_str(text) else {
        return "{}".to_owned();
    };
    let keys = keys(vars);
    if !keys.iter().any(|key| meta.contains_key(key)) {
        // The original spelling.
        return linkspan_scripts::host::on_one_line(text).into_owned();
    }
    meta.retain(|key, _| !keys.contains(key));
    Value::Object(meta).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "dummy-test-token-0123456789abcdef";

    #[test]
    fn a_secret_is_long_and_brought_along() {
        let short: Vars = [("MCPBASH_REMOTE_TOKEN", "short")].into_iter().collect();
        assert_eq!(Token::of(&short).unwrap_err(), TokenError);
        assert!(Token::of(&Vars::default()).unwrap().is_none());
        let vars: Vars = [("MCPBASH_REMOTE_TOKEN", SECRET)].into_iter().collect();
        let token = Token::of(&vars).unwrap().unwrap();
        let fits = |meta: &str| {
            let request = format!(r#"{{"params":{{"_meta":{meta}}}}}"#);
            token.fits(Json::parse(&request).unwrap())
        };
        assert!(fits(&format!(r#"{{"mcpbash/remoteToken":"{SECRET}"}}"#)));
        assert!(fits(&format!(r#"{{"remoteToken":"{SECRET}"}}"#)));
        assert!(!fits(&format!(r#"{{"remoteToken":"{SECRET}x"}}"#)));
        assert!(!fits("{}"));
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn tools_never_see_the_token() {
        let vars: Vars = [("MCPBASH_REMOTE_TOKEN_KEY", "custom/tok")]
            .into_iter()
            .collect();
        let meta = r#"{"custom/tok":"s","remoteToken":"s","keep":"yes"}"#;
        assert_eq!(without_token(Some(meta), &vars), r#"{"keep":"yes"}"#);
        assert_eq!(
            without_token(Some(r#"{"n": 1.50}"#), &vars),
            r#"{"n": 1.50}"#
        );
        assert_eq!(without_token(Some("7"), &vars), "{}");
        assert_eq!(without_token(None, &vars), "{}");
    }
}
