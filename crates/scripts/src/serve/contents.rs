//! Builds the contents of resources, and the errors of reads.

use linkspan_wire::{Json, JsonKind, RpcError, quote};

use super::files::NoFile;
use crate::run::on_one_line;
use crate::run::result::{encoded, ended_with};

pub(super) const NOT_FOUND: i64 = -32002;

/// The error for the exit code of a provider.
pub(super) fn provider_error(uri: &str, code: i32, said: Option<&str>) -> RpcError {
    let why = |usual: &str| said.map_or_else(|| usual.to_owned(), str::to_owned);
    let data = format!(r#"{{"uri":{}}}"#, quote(uri));
    match code {
        3 => not_found(uri),
        2 => RpcError::invalid_params(why("the provider cannot read such an address")),
        4 => RpcError::invalid_params(why("the provider may not read this address")),
        5 => RpcError::internal(why("the provider could not get it")),
        6 => RpcError::internal(why("it is too large for the provider")),
        code => RpcError::internal(why(&ended_with(code))),
    }
    .with_data_if(code != 3, data)
}

trait WithDataIf {
    fn with_data_if(self, yes: bool, data: String) -> Self;
}

impl WithDataIf for RpcError {
    fn with_data_if(self, yes: bool, data: String) -> Self {
        if yes { self.with_data(data) } else { self }
    }
}

/// A complete result that the program wrote, or its output as contents.
pub(super) fn printed(uri: &str, mime: Option<&str>, bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).ok();
    let json = text.and_then(|text| Json::parse(text.trim()).ok());
    let whole = json.filter(|json| {
        json.get("contents").is_some_and(|contents| {
            contents.kind() == JsonKind::Array && contents.elements().all(is_content)
        })
    });
    match whole {
        Some(json) => on_one_line(json.text()).into_owned(),
        None => contents(uri, mime, bytes),
    }
}

fn is_content(one: Json<'_>) -> bool {
    let is_text = |name| {
        one.get(name)
            .is_some_and(|it| it.kind() == JsonKind::String)
    };
    is_text("uri") && (is_text("text") || is_text("blob"))
}

/// Bytes as the contents of a resource: text if they are UTF-8 without NUL, else base64.
pub(super) fn contents(uri: &str, mime: Option<&str>, bytes: &[u8]) -> String {
    let (member, value, usual) = match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ("text", quote(text), "text/plain"),
        _ => ("blob", quote(&encoded(bytes)), "application/octet-stream"),
    };
    format!(
        r#"{{"contents":[{{"uri":{},"mimeType":{},"{member}":{value}}}]}}"#,
        quote(uri),
        quote(mime.unwrap_or(usual)),
    )
}

/// A piece of a text, which may begin or end within a character.
pub(super) fn text_of(bytes: &[u8]) -> Vec<u8> {
    let lossy = String::from_utf8_lossy(bytes);
    let odd = lossy.matches('\u{fffd}').count();
    // At most two characters can be cut at the edges; more replacements mean binary data.
    if odd <= 2 {
        lossy.into_owned().into_bytes()
    } else {
        bytes.to_vec()
    }
}

pub(super) fn no_file(uri: &str, why: NoFile) -> RpcError {
    match why {
        NoFile::Outside | NoFile::Missing => not_found(uri),
        NoFile::TooLarge(size) => too_large(uri, size),
        NoFile::Io(e) => RpcError::internal(format!("{uri} cannot be read: {e}")),
    }
}

pub(super) fn too_large(uri: &str, size: u64) -> RpcError {
    RpcError::internal(format!(
        "{uri} is too large ({size} bytes): raise maxOutputBytes in its metadata"
    ))
}

pub(super) fn not_found(uri: &str) -> RpcError {
    let data = format!(r#"{{"uri":{}}}"#, quote(uri));
    RpcError::new(NOT_FOUND, "resource not found").with_data(data)
}
