//! Tells servers which client they work for, without its credentials.

use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_auth::Timestamp;
use linkspan_auth::resource::{FORWARDED_IDENTITY, Identity, IdentitySigner};
use linkspan_ports::{ChildOptions, HeaderSource, HttpOptions, Principal};
use parking_lot::Mutex;

/// The environment variables that describe the client of a child process.
const SUBJECT: &str = "LINKSPAN_SUBJECT";
const ISSUER: &str = "LINKSPAN_ISSUER";
const SCOPE: &str = "LINKSPAN_SCOPE";
/// How long a signed statement is reused. It is valid for twice as long.
const REUSED: Duration = Duration::from_secs(30);

/// Environment variables about a caller; `None` removes one.
pub type CallerVariables = Vec<(&'static str, Option<String>)>;

/// What servers get to know about callers.
#[derive(Default)]
pub(crate) struct CallerInfo {
    /// Whether callers are authenticated.
    is_guarded: bool,
    forward: Option<Forward>,
}

/// Statements for an upstream server.
#[derive(Clone)]
struct Forward {
    signer: Arc<IdentitySigner>,
    /// Our own URL.
    issuer: Arc<str>,
}

impl CallerInfo {
    /// For a listener at this URL whose callers are authenticated.
    pub(crate) fn guarded(url: &str, signer: Option<Arc<IdentitySigner>>) -> Self {
        let issuer: Arc<str> = url.into();
        let forward = signer.map(|signer| Forward { signer, issuer });
        Self {
            is_guarded: true,
            forward,
        }
    }

    /// The variables for programs that work for this caller only. Inherited variables with these names describe another
    /// caller, so they are removed if this one has no identity.
    pub(crate) fn variables(&self, principal: &Principal) -> CallerVariables {
        if !self.is_guarded {
            return Vec::new();
        }
        let about = |part: fn(&Identity) -> String| principal.identity().map(|who| part(&who));
        vec![
            (SUBJECT, about(|who| who.subject.clone())),
            (ISSUER, about(|who| who.issuer.clone())),
            (SCOPE, about(Identity::scope)),
        ]
    }

    /// The same for a child process.
    pub(crate) fn add_variables(&self, principal: &Principal, child: &mut ChildOptions) {
        for (name, value) in self.variables(principal) {
            match value {
                Some(value) => child.env.push((name.into(), value.into())),
                None => child.without_env.push(name.into()),
            }
        }
    }

    /// The header for an upstream server, if it is configured.
    pub(crate) fn add_header(&self, principal: &Principal, options: &mut HttpOptions) {
        let Some(forward) = self
            .forward
            .as_ref()
            .filter(|_| principal.identity().is_some())
        else {
            return;
        };
        options.header_from(Arc::new(Statement {
            forward: forward.clone(),
            principal: principal.clone(),
            audience: options.audience(),
            last: Mutex::new(None),
        }));
    }
}

/// The signed statements about the caller of one connection: they say what its latest request has shown, and there is
/// none once that has expired.
struct Statement {
    forward: Forward,
    principal: Principal,
    audience: String,
    /// The last statement, when it was signed, and its subject.
    last: Mutex<Option<(String, Instant, Arc<Identity>)>>,
}

impl std::fmt::Debug for Statement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Statement")
    }
}

impl HeaderSource for Statement {
    fn name(&self) -> &'static str {
        FORWARDED_IDENTITY
    }

    fn value(&self) -> Option<String> {
        let identity = self.principal.current_identity()?;
        let mut last = self.last.lock();
        if let Some((value, at, about)) = &*last
            && at.elapsed() < REUSED
            && *about == identity
        {
            return Some(value.clone());
        }
        let Forward { signer, issuer } = &self.forward;
        let value = signer.sign(&identity, issuer, &self.audience, Timestamp::now());
        *last = Some((value.clone(), Instant::now(), identity));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Limits;

    fn identity() -> Arc<Identity> {
        Arc::new(Identity {
            issuer: "https://as".to_owned(),
            subject: "ada".to_owned(),
            client_id: None,
            scopes: vec!["a".to_owned(), "b".to_owned()],
            name: None,
            views: Vec::new(),
        })
    }

    fn child() -> ChildOptions {
        ChildOptions {
            label: None,
            program: "x".into(),
            args: Vec::new(),
            limits: Limits::default(),
            env: Vec::new(),
            without_env: Vec::new(),
            cwd: None,
        }
    }

    #[test]
    fn a_child_gets_the_variables_of_its_caller_and_a_shared_child_gets_none() {
        let info = CallerInfo::guarded("https://h/mcp", None);
        let own = Principal::identified(identity());
        let mut options = child();
        info.add_variables(&own, &mut options);
        let expected = [
            ("LINKSPAN_SUBJECT", "ada"),
            ("LINKSPAN_ISSUER", "https://as"),
            ("LINKSPAN_SCOPE", "a b"),
        ];
        let expected = expected.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(options.env, expected);
        let mut options = child();
        info.add_variables(&own.without_identity(), &mut options);
        assert_eq!(options.env, []);
        assert_eq!(options.without_env.len(), 3);
    }

    #[test]
    fn without_a_guard_the_environment_is_passed_on_as_it_is() {
        let mut options = child();
        CallerInfo::default().add_variables(&Principal::anonymous(), &mut options);
        assert!(options.env.is_empty() && options.without_env.is_empty());
    }

    fn statement(principal: &Principal) -> Statement {
        let signer = Arc::new(IdentitySigner::generate());
        let forward = Forward {
            signer,
            issuer: "https://h/mcp".into(),
        };
        Statement {
            forward,
            principal: principal.clone(),
            audience: "https://up/mcp".to_owned(),
            last: Mutex::new(None),
        }
    }

    #[test]
    fn a_statement_is_signed_once_for_many_requests() {
        let statement = statement(&Principal::identified(identity()));
        assert!(statement.value().is_some());
        assert_eq!(statement.value(), statement.value());
    }

    #[test]
    fn a_statement_is_about_the_latest_request_and_ends_with_its_token() {
        let session = Principal::identified(identity());
        let statement = statement(&session);
        let scope = || {
            let value = statement.value()?;
            let claims = value.split('.').nth(1)?;
            let claims = data_encoding::BASE64URL_NOPAD
                .decode(claims.as_bytes())
                .ok()?;
            let claims = String::from_utf8(claims).ok()?;
            let (_, scope) = claims.split_once(r#""scope":""#)?;
            Some(scope.split_once('"')?.0.to_owned())
        };
        assert_eq!(scope().as_deref(), Some("a b"));
        let fewer = Arc::new(Identity {
            scopes: vec!["a".to_owned()],
            ..(*identity()).clone()
        });
        session.renew(&Principal::identified(Arc::clone(&fewer)));
        assert_eq!(scope().as_deref(), Some("a"));
        session.renew(&Principal::until(fewer, Some(Instant::now())));
        assert_eq!(statement.value(), None);
    }
}
