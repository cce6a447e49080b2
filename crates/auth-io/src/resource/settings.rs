//! What an operator says about a protected resource, and the mistakes in it.

use std::sync::Arc;

use linkspan_auth::Secret;
use linkspan_auth::jose::{JwkSet, KeyError};
use linkspan_auth::resource::{
    DpopMode, IdentitySigner, Introspection, IssuerError, PublicUrl, PublicUrlError, ScopeError,
    ToolScopeError, ToolScopes, check_issuer, parse_scopes,
};
use url::Url;

use super::KeyFile;
use super::options::{KeySource, ResourceOptions, TrustedIssuer};

/// What an operator says, as texts.
#[derive(Debug, Clone, Default)]
pub struct ResourceSettings {
    /// The path of the endpoint.
    pub path: String,
    /// Whether the address that is listened on can be the URL of the endpoint.
    pub has_address: bool,
    /// The URL of the endpoint as clients know it.
    pub public_url: Option<String>,
    /// Trusted authorization servers.
    pub issuers: Vec<String>,
    /// What `aud` may be.
    pub audiences: Vec<String>,
    /// Scopes that every request needs.
    pub scopes: Vec<String>,
    /// Rules of the form `GLOB=SCOPE`.
    pub tool_scopes: Vec<String>,
    /// The keys of the issuer.
    pub jwks: Option<JwksSetting>,
    /// The introspection endpoint.
    pub introspect: Option<String>,
    /// The client that asks there.
    pub introspect_client: Option<String>,
    /// Its secret.
    pub introspect_secret: Option<Secret>,
    /// Whether tokens have to be bound to a key.
    pub dpop: Option<DpopMode>,
    /// The claim that identifies the user, if that is not `sub`.
    pub subject: Option<String>,
    /// Whether ID tokens are taken for access tokens.
    pub accept_id_token: bool,
    /// API keys.
    pub keys: Option<Arc<KeyFile>>,
    /// Whether upstream servers are told who the caller is.
    pub forward_identity: bool,
    /// The private key for that, in PEM form.
    pub identity_key: Option<String>,
}

/// Where the keys of an issuer come from.
#[derive(Debug, Clone)]
pub enum JwksSetting {
    /// A URL.
    Url(String),
    /// The text of a file.
    File(Vec<u8>),
}

/// What is wrong with settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Something is about tokens, and no issuer is trusted.
    #[error("{0} is set, and no authorization server is trusted")]
    NoIssuer(&'static str),
    /// Something is about callers, and callers are not verified.
    #[error("{0} is set, and there is neither an authorization server nor a file of keys")]
    NoGuard(&'static str),
    /// Something belongs to one issuer.
    #[error("{0} belongs to one authorization server, and several are trusted")]
    Several(&'static str),
    /// Not an issuer.
    #[error("`{text}` cannot be an authorization server: {error}")]
    Issuer {
        /// What was given.
        text: String,
        /// What is wrong.
        error: IssuerError,
    },
    /// Not a URL for clients.
    #[error("`{text}` cannot be the URL of the endpoint: {error}")]
    PublicUrl {
        /// What was given.
        text: String,
        /// What is wrong.
        error: PublicUrlError,
    },
    /// Clients cannot use the address that is listened on.
    #[error("the URL that clients use is not known")]
    NoPublicUrl,
    /// Not a URL that keys or verdicts may come from.
    #[error("`{text}` cannot be used: {error}")]
    Url {
        /// What was given.
        text: String,
        /// What is wrong.
        error: IssuerError,
    },
    /// Not a set of keys.
    #[error("the file is not a set of public keys (JWKS) that can verify tokens")]
    Jwks,
    /// Not a scope.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// Not a rule.
    #[error(transparent)]
    ToolScope(#[from] ToolScopeError),
    /// Not a key for statements about callers.
    #[error(transparent)]
    IdentityKey(#[from] KeyError),
}

impl SettingsError {
    /// What the operator can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoIssuer(_) => "name the authorization server with --auth-issuer URL",
            Self::NoGuard(_) => {
                "add --auth-issuer URL for access tokens, or --keys FILE for API keys"
            }
            Self::Several(_) => "give one --auth-issuer only",
            Self::Issuer { .. } => {
                "give the issuer as its tokens spell it, such as https://login.example.com"
            }
            Self::PublicUrl { .. } | Self::NoPublicUrl => {
                "give the URL that clients connect to, such as --public-url https://mcp.example.com/mcp"
            }
            Self::Jwks | Self::Url { .. } => {
                "--auth-jwks takes a file or an https URL, --auth-introspect an https URL"
            }
            Self::Scope(_) | Self::ToolScope(_) => {
                "for example --auth-scope tools --tool-scope 'delete_*=admin'"
            }
            Self::IdentityKey(_) => "--identity-key takes a P-256 private key in PEM form",
        }
    }
}

impl ResourceSettings {
    /// Checks everything; `None` if callers are not verified.
    pub fn options(self) -> Result<Option<ResourceOptions>, SettingsError> {
        if self.issuers.is_empty() {
            self.check_without_issuer()?;
            if self.keys.is_none() {
                return self.check_without_guard().map(|()| None);
            }
        } else if self.public_url.is_none() && !self.has_address {
            return Err(SettingsError::NoPublicUrl);
        }
        let public_url = self.public_url.as_deref().map(|text| {
            PublicUrl::parse(text).map_err(|error| SettingsError::PublicUrl {
                text: text.to_owned(),
                error,
            })
        });
        let tools = self.tool_scopes.iter().map(String::as_str);
        Ok(Some(ResourceOptions {
            public_url: public_url.transpose()?,
            issuers: self.trusted()?,
            introspection: self.introspection()?,
            scopes: parse_scopes(&self.scopes.join(" "))?,
            tools: ToolScopes::parse(tools)?,
            signer: self.signer()?.map(Arc::new),
            audiences: self.audiences,
            dpop: self.dpop.unwrap_or_default(),
            subject: self.subject.filter(|claim| claim != "sub"),
            accept_id_token: self.accept_id_token,
            keys: self.keys.unwrap_or_default(),
            path: self.path,
        }))
    }

    fn check_without_issuer(&self) -> Result<(), SettingsError> {
        let what = if !self.audiences.is_empty() {
            "an audience"
        } else if self.jwks.is_some() {
            "a set of keys"
        } else if self.introspect.is_some() {
            "an introspection endpoint"
        } else if self.dpop.is_some_and(|mode| mode != DpopMode::Off) {
            "DPoP"
        } else if self.subject.is_some() {
            "the claim of a subject"
        } else if self.accept_id_token {
            "the acceptance of ID tokens"
        } else {
            return Ok(());
        };
        Err(SettingsError::NoIssuer(what))
    }

    fn check_without_guard(&self) -> Result<(), SettingsError> {
        let what = if !self.scopes.is_empty() || !self.tool_scopes.is_empty() {
            "a scope"
        } else if self.forward_identity {
            "the forwarding of identities"
        } else if self.public_url.is_some() {
            "a public URL"
        } else {
            return Ok(());
        };
        Err(SettingsError::NoGuard(what))
    }

    fn trusted(&self) -> Result<Vec<TrustedIssuer>, SettingsError> {
        let keys = match &self.jwks {
            Some(_) if self.issuers.len() > 1 => {
                return Err(SettingsError::Several("a set of keys"));
            }
            Some(JwksSetting::Url(text)) => KeySource::At(safe_url(text)?),
            Some(JwksSetting::File(text)) => {
                let keys = JwkSet::parse(text).filter(|keys| !keys.keys.is_empty());
                KeySource::Fixed(keys.ok_or(SettingsError::Jwks)?)
            }
            None => KeySource::Discovered,
        };
        let trust = |text: &String| {
            let checked = check_issuer(text);
            checked.map_err(|error| SettingsError::Issuer {
                text: text.clone(),
                error,
            })?;
            Ok(TrustedIssuer {
                name: text.clone(),
                keys: keys.clone(),
            })
        };
        self.issuers.iter().map(trust).collect()
    }

    fn introspection(&self) -> Result<Option<Introspection>, SettingsError> {
        let Some(text) = &self.introspect else {
            return Ok(None);
        };
        let [issuer] = self.issuers.as_slice() else {
            return Err(SettingsError::Several("an introspection endpoint"));
        };
        Ok(Some(Introspection {
            url: safe_url(text)?,
            issuer: issuer.clone(),
            client_id: self.introspect_client.clone(),
            client_secret: self.introspect_secret.clone(),
        }))
    }

    fn signer(&self) -> Result<Option<IdentitySigner>, SettingsError> {
        match &self.identity_key {
            _ if !self.forward_identity => Ok(None),
            Some(pem) => Ok(Some(IdentitySigner::from_pem(pem)?)),
            None => Ok(Some(IdentitySigner::generate())),
        }
    }
}

/// A URL that keys or verdicts may come from. It may have a query, unlike an issuer.
fn safe_url(text: &str) -> Result<Url, SettingsError> {
    let bare = text.split(['?', '#']).next().unwrap_or_default();
    let checked = check_issuer(bare).and_then(|_| Url::parse(text).or(Err(IssuerError::NotUrl)));
    checked.map_err(|error| SettingsError::Url {
        text: bare.to_owned(),
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(change: impl FnOnce(&mut ResourceSettings)) -> ResourceSettings {
        let mut settings = ResourceSettings {
            path: "/mcp".to_owned(),
            has_address: true,
            ..ResourceSettings::default()
        };
        change(&mut settings);
        settings
    }

    fn told(change: impl FnOnce(&mut ResourceSettings)) -> String {
        settings(change).options().unwrap_err().to_string()
    }

    #[test]
    fn without_settings_there_is_no_guard() {
        assert!(settings(|_| ()).options().unwrap().is_none());
    }

    #[test]
    fn settings_that_need_an_issuer_say_so() {
        let no_issuer = "no authorization server is trusted";
        assert!(told(|one| one.audiences.push("a".into())).ends_with(no_issuer));
        assert!(told(|one| one.jwks = Some(JwksSetting::Url("x".into()))).ends_with(no_issuer));
        assert!(told(|one| one.introspect = Some("x".into())).ends_with(no_issuer));
        assert!(told(|one| one.dpop = Some(DpopMode::Required)).ends_with(no_issuer));
        assert!(told(|one| one.subject = Some("email".into())).ends_with(no_issuer));
        assert!(told(|one| one.accept_id_token = true).ends_with(no_issuer));
        let no_guard = "neither an authorization server nor a file of keys";
        assert!(told(|one| one.scopes.push("a".into())).ends_with(no_guard));
        assert!(told(|one| one.tool_scopes.push("a=b".into())).ends_with(no_guard));
        assert!(told(|one| one.forward_identity = true).ends_with(no_guard));
    }

    #[test]
    fn what_belongs_to_one_issuer_is_refused_for_several() {
        let both = || vec!["https://a".to_owned(), "https://b".to_owned()];
        for what in [
            told(|one| {
                one.issuers = both();
                one.jwks = Some(JwksSetting::Url("https://a/jwks".into()));
            }),
            told(|one| {
                one.issuers = both();
                one.introspect = Some("https://a/introspect".into());
            }),
        ] {
            assert!(what.contains("several are trusted"), "{what}");
        }
    }

    #[test]
    fn urls_are_checked() {
        let issuer = |one: &mut ResourceSettings| one.issuers.push("https://as".into());
        assert!(told(|one| one.issuers.push("http://as".into())).contains("neither https"));
        let address = told(|one| {
            issuer(one);
            one.has_address = false;
        });
        assert_eq!(address, "the URL that clients use is not known");
        let public = told(|one| {
            issuer(one);
            one.public_url = Some("http://h/mcp".into());
        });
        assert!(public.contains("cannot be the URL of the endpoint"));
        let jwks = told(|one| {
            issuer(one);
            one.jwks = Some(JwksSetting::Url("http://as/jwks?key=secret".into()));
        });
        assert!(jwks.contains("`http://as/jwks` cannot be used"), "{jwks}");
        let file = told(|one| {
            issuer(one);
            one.jwks = Some(JwksSetting::File(b"{\"keys\":[]}".to_vec()));
        });
        assert!(file.contains("JWKS"), "{file}");
    }

    #[test]
    fn complete_settings_become_options() {
        let options = settings(|one| {
            one.issuers = vec!["https://as/t".to_owned()];
            one.public_url = Some("https://h/mcp".to_owned());
            one.scopes = vec!["a b".to_owned(), "b c".to_owned()];
            one.tool_scopes = vec!["x*=admin".to_owned()];
            one.introspect = Some("https://as/introspect?x=1".to_owned());
            one.forward_identity = true;
        });
        let options = options.options().unwrap().unwrap();
        assert_eq!(options.scopes, ["a", "b", "c"]);
        assert_eq!(options.tools.of("xyz"), ["admin"]);
        assert_eq!(options.introspection.unwrap().issuer, "https://as/t");
        assert!(options.signer.is_some());
    }
}
