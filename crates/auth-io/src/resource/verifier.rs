//! Verifies the credentials of requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use linkspan_auth::Timestamp;
use linkspan_auth::resource::dpop::{BoundRequest, ProofError, Replays, check_proof};
use linkspan_auth::resource::{
    CLOCK_SKEW, Challenger, Denied, Digest, DpopMode, Expiring, Identity, IssuerError, Policy,
    Presented, PublicUrl, PublicUrlError, Scheme, TokenError, UnverifiedToken, Verified,
    WELL_KNOWN, digest,
};
use linkspan_ports::{AdmittedCaller, Admitting, Guard, GuardedRequest};
use parking_lot::Mutex;

use super::introspector::Introspector;
use super::issuer::{Issuer, Need};
use super::{Clock, KeyFile, KeySource, ResourceOptions, TrustedIssuer};
use crate::Transport;

/// Tokens that are remembered as verified.
const MOST_TOKENS: usize = 8192;
/// How long, so that a key that an issuer withdraws does not count until its last token expires.
const REMEMBERED: Duration = Duration::from_secs(5 * 60);
/// Where the keys are that verify statements about callers.
const JWKS: &str = "/.well-known/jwks.json";

/// Verifies the credentials of requests. It remembers what it has verified, and fetches keys through a transport.
pub struct Verifier {
    resource: PublicUrl,
    /// The path of the endpoint here.
    path: String,
    policy: Policy,
    challenger: Challenger,
    keys: Arc<KeyFile>,
    issuers: Vec<Arc<Issuer>>,
    introspector: Option<Introspector>,
    known: Mutex<Expiring<Arc<Known>>>,
    replays: Mutex<Replays>,
    documents: Vec<(String, Bytes)>,
    clock: Clock,
}

/// Credentials that were verified.
struct Known {
    identity: Arc<Identity>,
    binding: Binding,
    /// Until when they are remembered.
    until: Timestamp,
    /// When they expire.
    expires: Option<Timestamp>,
}

enum Binding {
    /// An API key, to which the rules of OAuth do not apply.
    Exempt,
    /// A token that is good for every bearer.
    Unbound,
    /// A token for the holder of the key with this thumbprint.
    Key(String),
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({})", self.resource.as_str())
    }
}

/// Why a resource cannot be protected as the options say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The URL of the endpoint.
    #[error("the URL of the endpoint: {0}")]
    Url(#[from] PublicUrlError),
    /// An issuer.
    #[error("the issuer: {0}")]
    Issuer(#[from] IssuerError),
}

impl Verifier {
    /// Protects the endpoint at `url`, or at the public URL of the options if there is one. `transport` gives what
    /// reaches a URL that the operator named: an issuer, a set of keys, or an introspection endpoint.
    pub fn new(
        options: &ResourceOptions,
        url: &str,
        transport: &dyn Fn(&str) -> Arc<dyn Transport>,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        let resource = match &options.public_url {
            Some(url) => url.clone(),
            None => PublicUrl::local(url)?,
        };
        let trust = |issuer: &TrustedIssuer| {
            let keys = issuer.keys()?;
            let named = match &issuer.keys {
                KeySource::At(url) => url.as_str(),
                KeySource::Discovered | KeySource::Fixed(_) => &issuer.name,
            };
            Ok::<_, IssuerError>(Issuer::new(keys, transport(named)))
        };
        let issuers: Result<Vec<_>, _> = options.issuers.iter().map(trust).collect();
        let introspection = options.introspection.clone();
        let introspector = introspection.map(|one| {
            let transport = transport(one.url.as_str());
            Introspector::new(one, transport)
        });
        Ok(Self {
            path: options.path.clone(),
            policy: options.policy(&resource),
            challenger: options.challenger(&resource),
            keys: Arc::clone(&options.keys),
            issuers: issuers?,
            introspector,
            known: Mutex::new(Expiring::new(MOST_TOKENS)),
            replays: Mutex::default(),
            documents: documents(options, &resource),
            resource,
            clock,
        })
    }

    async fn judge(&self, request: GuardedRequest<'_>) -> Result<AdmittedCaller, Denied> {
        let scheme = request.presented.scheme();
        let (token, proof) = match request.presented {
            Presented::Bearer(token) => (token, None),
            Presented::Dpop { token, proof } if self.challenger.dpop != DpopMode::Off => {
                (token, Some(proof))
            }
            other => return Err(self.challenger.missing(&other)),
        };
        let key = digest(token.as_bytes());
        let now = (self.clock)();
        let remembered = self.known.lock().get(&key, now).cloned();
        let known = match remembered {
            Some(known) => known,
            None => {
                let known = Arc::new(self.verify(token, key, scheme).await?);
                let (until, now) = (known.until, (self.clock)());
                if until > now {
                    self.known.lock().insert(key, known.clone(), until, now);
                }
                known
            }
        };
        let invalid = |error| self.challenger.invalid(scheme, &error);
        match (&known.binding, proof) {
            (Binding::Exempt, None) => {}
            (Binding::Key(bound_to), Some(proof)) => {
                let url = self.resource.of_request(request.path, &self.path);
                let bound = BoundRequest {
                    method: request.method,
                    url: &url,
                    token,
                    bound_to,
                };
                let checked = self.check_proof(proof, bound);
                checked.map_err(|error| self.challenger.bad_proof(error))?;
            }
            (Binding::Key(_), None) => return Err(invalid(TokenError::Bound)),
            (Binding::Unbound, None) if self.challenger.dpop != DpopMode::Required => {}
            (Binding::Unbound | Binding::Exempt, _) => return Err(invalid(TokenError::NotBound)),
        }
        self.challenger.permit(&known.identity, [], scheme)?;
        let now = (self.clock)();
        let lasts = known.expires.map(|at| now.until(at.after(CLOCK_SKEW)));
        Ok(AdmittedCaller {
            identity: Arc::clone(&known.identity),
            lasts,
        })
    }

    fn check_proof(
        &self,
        proof: Option<&str>,
        request: BoundRequest<'_>,
    ) -> Result<(), ProofError> {
        let now = (self.clock)();
        let proof = check_proof(proof.ok_or(ProofError::Missing)?, request, now)?;
        self.replays.lock().note(proof, now)
    }

    /// Verifies credentials that are not known.
    async fn verify(&self, token: &str, key: Digest, scheme: Scheme) -> Result<Known, Denied> {
        let now = (self.clock)();
        let longest = now.after(REMEMBERED);
        if let Some(identity) = self.keys.current(now).find(token) {
            return Ok(Known {
                identity: Arc::new(identity.clone()),
                binding: Binding::Exempt,
                // It is looked up every time, so that a key that is revoked is refused at once.
                until: now,
                expires: None,
            });
        }
        let invalid = |error| self.challenger.invalid(scheme, &error);
        if self.issuers.is_empty() {
            return Err(invalid(TokenError::UnknownApiKey));
        }
        let (verdict, until) = match UnverifiedToken::read(token, &self.policy, now) {
            Ok(token) => (self.verify_jwt(&token).await?, longest),
            Err(TokenError::NotJwt) => match &self.introspector {
                // The introspector remembers its answers itself, and for a shorter time.
                Some(introspector) => (self.introspect(introspector, token, key).await?, now),
                None => return Err(invalid(TokenError::NotJwt)),
            },
            Err(error) => return Err(invalid(error)),
        };
        let verified = verdict.map_err(invalid)?;
        Ok(Known {
            identity: Arc::new(verified.identity),
            until: verified.expires.min(until),
            expires: Some(verified.expires),
            binding: verified.bound_to.map_or(Binding::Unbound, Binding::Key),
        })
    }

    async fn verify_jwt(
        &self,
        token: &UnverifiedToken<'_>,
    ) -> Result<Result<Verified, TokenError>, Denied> {
        let issuer = self.issuers.iter().find(|one| one.name() == token.issuer());
        let gone = || {
            let issuer = token.issuer();
            Challenger::unavailable(format!("the keys of {issuer} cannot be fetched now"))
        };
        let issuer = issuer.ok_or_else(gone)?;
        issuer.refresh(Need::Fresh, &self.clock).await;
        let keys = issuer.keys().ok_or_else(gone)?;
        let verdict = token.verify(&keys);
        if !matches!(verdict, Err(TokenError::UnknownKey { .. })) {
            return Ok(verdict);
        }
        issuer.refresh(Need::Newer, &self.clock).await;
        let newer = issuer.keys().ok_or_else(gone)?;
        let verdict = if newer == keys {
            verdict
        } else {
            token.verify(&newer)
        };
        // The client must not sign in again for a key that cannot be fetched yet.
        let is_unknown = matches!(verdict, Err(TokenError::UnknownKey { .. }));
        if is_unknown && issuer.may_be_newer(token.issued()) {
            return Err(gone());
        }
        Ok(verdict)
    }

    async fn introspect(
        &self,
        introspector: &Introspector,
        token: &str,
        key: Digest,
    ) -> Result<Result<Verified, TokenError>, Denied> {
        let verdict = introspector
            .verdict(token, key, &self.policy, &self.clock)
            .await;
        verdict.map_err(|why| {
            tracing::warn!("a token cannot be introspected: {why}");
            Challenger::unavailable("the token cannot be checked now".to_owned())
        })
    }
}

impl Guard for Verifier {
    fn admit<'a>(&'a self, request: GuardedRequest<'a>) -> Admitting<'a> {
        Box::pin(self.judge(request))
    }

    fn limits_tools(&self) -> bool {
        !self.challenger.tools.is_empty()
    }

    fn permit(&self, identity: &Identity, scheme: Scheme, tools: &[String]) -> Result<(), Denied> {
        let tools = tools.iter().map(String::as_str);
        self.challenger.permit(identity, tools, scheme)
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        let mut documents = self.documents.iter();
        let (_, text) = documents.find(|(at, _)| at == path)?;
        Some(text.clone())
    }

    fn resource(&self) -> &str {
        self.resource.as_str()
    }
}

/// The documents that are public: the metadata at every place where a client may look, and our own keys.
fn documents(options: &ResourceOptions, resource: &PublicUrl) -> Vec<(String, Bytes)> {
    let mut documents = Vec::new();
    let jwks = options.signer.as_ref().map(|signer| {
        let text = signer.jwks().to_string();
        documents.push((JWKS.to_owned(), Bytes::from(text)));
        JWKS
    });
    if !options.issuers.is_empty() {
        let text = options.metadata(resource, jwks).to_json().to_string();
        let text = Bytes::from(text);
        let here = format!("{WELL_KNOWN}{}", options.path.trim_end_matches('/'));
        for path in [here, WELL_KNOWN.to_owned(), resource.metadata_path()] {
            documents.push((path, text.clone()));
        }
    }
    documents
}
