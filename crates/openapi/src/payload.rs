//! The bodies of requests.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use linkspan_wire::{Json, JsonKind, Object};

use crate::argument::{Argument, Place, Style};
use crate::body::Body;
use crate::content::Kind;
use crate::encode;
use crate::file::File;
use crate::multipart::{self, Part};
use crate::request::Arguments;
use crate::request_error::RequestError;
use crate::value::{pairs, scalar};

impl<'a> Arguments<'a> {
    /// The body, and its `Content-Type` among the headers. No argument for an optional body means no body.
    pub(crate) fn body(&self, body: &Body, headers: &mut HeaderMap) -> Result<Bytes, RequestError> {
        let whole = self.at(Place::Body).next();
        let has_members = self.at(Place::Member).next().is_some();
        if whole.is_none() && !has_members && !body.is_required {
            return Ok(Bytes::new());
        }
        let mut media = body.media.to_string();
        let bytes = match (body.kind, whole) {
            (Kind::Json, Some((_, value))) => value.text().to_owned().into(),
            (Kind::Json, None) => self.json().into(),
            (Kind::Form, None) => self.form().into(),
            (Kind::Form, Some((_, value))) => form_of(value).into(),
            (Kind::Multipart, whole) => {
                let made = multipart::body(&media, &self.parts(whole)?);
                media = made.0;
                made.1.into()
            }
            (Kind::Text, Some((_, value))) => scalar(value).into(),
            (Kind::Binary, Some((argument, value))) => {
                let file = file(argument, value)?;
                media = file.media.unwrap_or(media);
                file.bytes.into()
            }
            (Kind::Text | Kind::Binary, None) => Bytes::new(),
        };
        if let Ok(media) = HeaderValue::try_from(media) {
            headers.insert(CONTENT_TYPE, media);
        }
        Ok(bytes)
    }

    /// An object of the members, each as the client spelled it.
    fn json(&self) -> String {
        let mut object = Object::empty();
        for (argument, value) in self.at(Place::Member) {
            object.push(&argument.original, value.text());
        }
        object.text()
    }

    fn form(&self) -> String {
        let mut out = Vec::new();
        for (argument, value) in self.at(Place::Member) {
            let is_nested =
                value.kind() == JsonKind::Object && argument.encoding.style == Style::Form;
            if is_nested {
                out.push(format!(
                    "{}={}",
                    encode::all(&argument.original),
                    encode::all(value.text())
                ));
            } else {
                pairs(argument, value, &mut out);
            }
        }
        out.join("&")
    }

    fn parts(&self, whole: Option<(&Argument, Json<'a>)>) -> Result<Vec<Part<'a>>, RequestError> {
        let mut parts = Vec::new();
        let Some((argument, value)) = whole else {
            for (argument, value) in self.at(Place::Member) {
                match value.kind() {
                    JsonKind::Array if argument.encoding.style != Style::Json => {
                        for item in value.elements() {
                            parts.push(part(argument, &argument.original, item)?);
                        }
                    }
                    _ => parts.push(part(argument, &argument.original, value)?),
                }
            }
            return Ok(parts);
        };
        if value.kind() != JsonKind::Object {
            return Err(RequestError::NotText(argument.name.clone()));
        }
        for (name, value) in value.members() {
            let bytes = scalar(value).into_bytes();
            parts.push(Part {
                name,
                file: None,
                media: None,
                bytes,
            });
        }
        Ok(parts)
    }
}

/// A form of the members of an object; another value is the form itself.
fn form_of(value: Json<'_>) -> String {
    if value.kind() != JsonKind::Object {
        return scalar(value);
    }
    let pair = |(key, value): (std::borrow::Cow<'_, str>, Json<'_>)| {
        format!("{}={}", encode::all(&key), encode::all(&scalar(value)))
    };
    value.members().map(pair).collect::<Vec<_>>().join("&")
}

fn file(argument: &Argument, value: Json<'_>) -> Result<File, RequestError> {
    File::parse(&scalar(value)).ok_or_else(|| RequestError::File(argument.name.clone()))
}

fn part<'a>(
    argument: &'a Argument,
    name: &'a str,
    value: Json<'_>,
) -> Result<Part<'a>, RequestError> {
    if !argument.is_file {
        let is_json = matches!(value.kind(), JsonKind::Object | JsonKind::Array);
        let media = argument.media.as_deref().map(str::to_owned);
        return Ok(Part {
            name: name.into(),
            file: None,
            media: media.or_else(|| is_json.then(|| "application/json".to_owned())),
            bytes: scalar(value).into_bytes(),
        });
    }
    let file = file(argument, value)?;
    let media = argument.media.as_deref().map(str::to_owned);
    Ok(Part {
        name: name.into(),
        media: file
            .media
            .or(media)
            .or_else(|| Some("application/octet-stream".to_owned())),
        file: Some(file.name.unwrap_or_else(|| name.to_owned())),
        bytes: file.bytes,
    })
}
