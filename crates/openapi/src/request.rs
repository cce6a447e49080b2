//! Makes requests of the arguments of calls.

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, COOKIE, HeaderMap, HeaderName, HeaderValue};
use linkspan_schema::nearest;
use linkspan_wire::{Json, JsonKind};
use url::Url;

use crate::api::Api;
use crate::argument::{Argument, Place, Style};
use crate::content::Kind;
use crate::encode;
use crate::operation::Operation;
use crate::request_error::RequestError;
use crate::security::Applied;
use crate::template;
use crate::value::{Given, pairs};

/// A request to the server of a document.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The URL, on the origin of the server.
    pub url: Url,
    /// The headers, with credentials.
    pub headers: HeaderMap,
    /// The body; empty if there is none.
    pub body: Bytes,
}

impl Api {
    /// The request of a call. `arguments` is an object.
    pub fn request(
        &self,
        operation: &Operation,
        arguments: Json<'_>,
    ) -> Result<Request, RequestError> {
        let given = Arguments::new(operation, arguments)?;
        let mut applied = Applied::default();
        for at in &operation.security {
            self.schemes[*at].apply(&mut applied);
        }
        let url = given.url(applied.query)?;
        let mut headers = HeaderMap::new();
        if let Ok(accept) = HeaderValue::from_str(&operation.accept) {
            headers.insert(ACCEPT, accept);
        }
        given.headers(applied.cookies, &mut headers)?;
        // Credentials replace what a caller may have set.
        for (name, value) in &applied.headers {
            headers.insert(name, value.clone());
        }
        let body = match &operation.body {
            Some(body) => given.body(body, &mut headers)?,
            None => Bytes::new(),
        };
        Ok(Request {
            method: operation.method.clone(),
            url,
            headers,
            body,
        })
    }
}

/// The values of a call by argument, in the order of the arguments.
pub(crate) struct Arguments<'a> {
    operation: &'a Operation,
    values: Vec<Option<Json<'a>>>,
}

impl<'a> Arguments<'a> {
    fn new(operation: &'a Operation, arguments: Json<'a>) -> Result<Self, RequestError> {
        let mut values = vec![None; operation.arguments.len()];
        for (name, value) in arguments.members() {
            let Some(at) = operation.places.get(&*name) else {
                let known = operation.arguments.iter().map(|one| one.name.as_str());
                return Err(RequestError::Unknown {
                    near: nearest(&name, known).map(str::to_owned),
                    name: name.chars().take(100).collect(),
                });
            };
            // Only in a JSON body does `null` differ from a missing value.
            let is_json = operation
                .body
                .as_ref()
                .is_some_and(|body| body.kind == Kind::Json);
            let is_member = matches!(operation.arguments[*at].place, Place::Member | Place::Body);
            let counts = value.kind() != JsonKind::Null || is_member && is_json;
            values[*at] = Some(value).filter(|_| counts);
        }
        Ok(Self { operation, values })
    }

    /// The values for a place.
    pub(crate) fn at(&self, place: Place) -> impl Iterator<Item = (&'a Argument, Json<'a>)> {
        let all = self.operation.arguments.iter().zip(&self.values);
        all.filter(move |(argument, _)| argument.place == place)
            .filter_map(|(argument, value)| Some((argument, (*value)?)))
    }

    fn url(&self, credentials: Vec<String>) -> Result<Url, RequestError> {
        let base = &self.operation.base;
        let mut path = base.path().trim_end_matches('/').to_owned();
        for part in &self.operation.template {
            match part {
                template::Part::Literal(text) => path += &encode::literal(text),
                template::Part::Parameter(name) => path += &self.segment(name)?,
            }
        }
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (path.as_str(), None),
        };
        let mut query: Vec<String> = query.into_iter().collect();
        for (argument, value) in self.at(Place::Query) {
            pairs(argument, value, &mut query);
        }
        query.extend(credentials);
        let mut url = base.clone();
        url.set_path(path);
        url.set_query(
            Some(query.join("&"))
                .as_deref()
                .filter(|query| !query.is_empty()),
        );
        // A parser that finds another path or origin has read something as an instruction.
        let is_same = url.path() == path && url.origin() == base.origin();
        is_same.then_some(url).ok_or(RequestError::Url)
    }

    /// The value of a parameter of the path, which stays inside its segment.
    fn segment(&self, name: &str) -> Result<String, RequestError> {
        let found = self
            .at(Place::Path)
            .find(|(argument, _)| *argument.original == *name);
        let shown = || {
            let mut all = self.operation.arguments.iter();
            let argument = all.find(|one| one.place == Place::Path && *one.original == *name);
            argument.map_or_else(|| name.to_owned(), |argument| argument.name.clone())
        };
        let (argument, value) = found.ok_or_else(|| RequestError::Missing(shown()))?;
        let given = given(argument, value);
        if given.is_empty() {
            return Err(RequestError::Missing(shown()));
        }
        let text = given.simple(argument, encode::all);
        match encode::has_dot_segment(&text) {
            true => Err(RequestError::Path(shown())),
            false => Ok(text),
        }
    }

    fn headers(&self, cookies: Vec<String>, headers: &mut HeaderMap) -> Result<(), RequestError> {
        for (argument, value) in self.at(Place::Header) {
            let text = given(argument, value).simple(argument, str::to_owned);
            let refused = || RequestError::Header(argument.name.clone());
            let name = HeaderName::try_from(&*argument.original).map_err(|_| refused())?;
            let value = HeaderValue::try_from(text).map_err(|_| refused())?;
            headers.insert(name, value);
        }
        let mut all = Vec::new();
        for (argument, value) in self.at(Place::Cookie) {
            pairs(argument, value, &mut all);
        }
        all.extend(cookies);
        if let Some(text) = Some(all.join("; ")).filter(|text| !text.is_empty()) {
            let mut value = HeaderValue::try_from(text)
                .map_err(|_| RequestError::Header("cookie".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(COOKIE, value);
        }
        Ok(())
    }
}

fn given(argument: &Argument, value: Json<'_>) -> Given {
    match argument.encoding.style {
        Style::Json => Given::Scalar(value.text().to_owned()),
        _ => Given::of(value),
    }
}
