//! Security schemes, and the credentials that a request gets.

use data_encoding::BASE64;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::encode;
use crate::error::OpenApiError;
use crate::object::elements;
use crate::options::Credentials;
use crate::reader::Reader;

/// Schemes of a document that are kept.
const MOST: usize = 64;

/// How a credential is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Header(HeaderName),
    Query(Box<str>),
    Cookie(Box<str>),
    /// `Authorization` with this word in front.
    Authorization(Box<str>),
    /// `Authorization: Basic` with `USER:PASSWORD` in base64.
    Basic,
    /// Certificates of the connection, and what we do not know.
    Unsupported,
}

/// A way to authenticate that a document declares.
#[derive(Clone)]
pub struct Scheme {
    name: Box<str>,
    kind: Kind,
    value: Option<Box<str>>,
}

impl Scheme {
    /// Its name in the document.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether there are credentials for it.
    pub fn has_credentials(&self) -> bool {
        self.value.is_some()
    }

    /// Whether credentials of this kind can be sent.
    pub fn is_supported(&self) -> bool {
        self.kind != Kind::Unsupported
    }

    /// Whether a parameter is where these credentials are sent.
    pub(crate) fn covers(&self, place: &str, name: &str) -> bool {
        self.has_credentials()
            && match &self.kind {
                Kind::Header(header) => {
                    place == "header" && name.eq_ignore_ascii_case(header.as_str())
                }
                Kind::Query(known) => place == "query" && **known == *name,
                Kind::Cookie(known) => place == "cookie" && **known == *name,
                Kind::Authorization(_) | Kind::Basic | Kind::Unsupported => false,
            }
    }

    /// Adds the credentials to a request.
    pub(crate) fn apply(&self, to: &mut Applied) {
        let Some(value) = &self.value else { return };
        match &self.kind {
            Kind::Header(name) => to.header(name.clone(), value),
            Kind::Query(name) => {
                to.query
                    .push(format!("{}={}", encode::all(name), encode::all(value)))
            }
            Kind::Cookie(name) => {
                to.cookies
                    .push(format!("{}={}", encode::all(name), encode::all(value)))
            }
            Kind::Authorization(word) => to.header(AUTHORIZATION, &format!("{word} {value}")),
            Kind::Basic => {
                let pair = BASE64.encode(value.as_bytes());
                to.header(AUTHORIZATION, &format!("Basic {pair}"));
            }
            Kind::Unsupported => {}
        }
    }
}

/// Where credentials go.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) headers: HeaderMap,
    pub(crate) query: Vec<String>,
    pub(crate) cookies: Vec<String>,
}

impl Applied {
    fn header(&mut self, name: HeaderName, value: &str) {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
    }
}

/// The schemes of a document with the credentials for them.
pub(crate) fn schemes(
    reader: &Reader<'_>,
    credentials: &Credentials,
) -> Result<Vec<Scheme>, OpenApiError> {
    let root = &reader.document.root;
    let declared = match reader.document.is_swagger {
        true => root.get("securityDefinitions"),
        false => root
            .get("components")
            .and_then(|all| all.get("securitySchemes")),
    };
    let mut schemes = Vec::new();
    for (name, scheme) in declared
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .take(MOST)
    {
        let Some(scheme) = reader.object(scheme)? else {
            continue;
        };
        schemes.push(Scheme {
            name: name.chars().take(128).collect::<String>().into(),
            kind: kind(scheme),
            value: None,
        });
    }
    for (name, value) in &credentials.0 {
        let known = || schemes.iter().map(|one| one.name.to_string()).collect();
        let Some(at) = schemes.iter().position(|one| *one.name == **name) else {
            let (name, known) = (name.clone(), known());
            return Err(OpenApiError::UnknownScheme { name, known });
        };
        if HeaderValue::from_str(value).is_err() {
            return Err(OpenApiError::Credentials(name.clone()));
        }
        schemes[at].value = Some(value.as_str().into());
    }
    Ok(schemes)
}

fn kind(scheme: &Map<String, Value>) -> Kind {
    let text = |name: &str| scheme.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "basic" => Kind::Basic,
        "http" => match text("scheme").to_ascii_lowercase().as_str() {
            "basic" => Kind::Basic,
            "bearer" => Kind::Authorization("Bearer".into()),
            word if is_word(word) => Kind::Authorization(text("scheme").into()),
            _ => Kind::Unsupported,
        },
        "oauth2" | "openIdConnect" => Kind::Authorization("Bearer".into()),
        "apiKey" => match (text("in"), text("name")) {
            (_, name) if name.is_empty() || name.len() > 256 => Kind::Unsupported,
            ("header", name) => match HeaderName::try_from(name) {
                Ok(name) if !encode::is_framing(name.as_str()) => Kind::Header(name),
                _ => Kind::Unsupported,
            },
            ("query", name) => Kind::Query(name.into()),
            ("cookie", name) => Kind::Cookie(name.into()),
            _ => Kind::Unsupported,
        },
        _ => Kind::Unsupported,
    }
}

fn is_word(word: &str) -> bool {
    (1..=64).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// The indexes of schemes that a request of an operation needs, out of the first alternative for which there are
/// credentials. `security` is that of the operation or of the document.
pub(crate) fn needed(security: Option<&Value>, schemes: &[Scheme]) -> Vec<usize> {
    let place = |name: &str| schemes.iter().position(|scheme| *scheme.name == *name);
    for alternative in elements(security) {
        let Some(names) = alternative.as_object() else {
            continue;
        };
        let found: Option<Vec<usize>> = names.keys().map(|name| place(name)).collect();
        if let Some(found) = found
            && !found.is_empty()
            && found.iter().all(|at| schemes[*at].has_credentials())
        {
            return found;
        }
    }
    Vec::new()
}
