//! Signature version 4: a request as AWS spells it, and the headers that sign it.

use aws_lc_rs::hmac;
use data_encoding::HEXLOWER;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use url::Url;

use super::credentials::AwsCredentials;
use crate::random::sha256;
use crate::time::Timestamp;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const TERMINATOR: &str = "aws4_request";
/// A header with this name replaces the hash of the body.
const CONTENT_HASH: &str = "x-amz-content-sha256";
/// All characters but those that are never encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const ENCODED_IN_PATH: &AsciiSet = &ENCODED.remove(b'/');

/// The service and region that a signature is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsScope {
    /// The name under which the service checks signatures, such as `execute-api`.
    pub service: String,
    /// The region, such as `eu-central-1`.
    pub region: String,
}

/// A request to sign.
#[derive(Debug, Clone, Copy)]
pub struct Signable<'a> {
    /// The method.
    pub method: &'a str,
    /// The URL.
    pub url: &'a Url,
    /// The headers to sign, besides those of the signature: names in lower case, and values. `host` is that of the URL
    /// unless it is among them.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// The body.
    pub body: &'a [u8],
}

/// A header of a signature: its name in lower case, and its value.
pub type SignedHeader = (&'static str, String);

impl AwsScope {
    /// The headers that sign a request at this time.
    pub fn sign(
        &self,
        request: &Signable<'_>,
        credentials: &AwsCredentials,
        now: Timestamp,
    ) -> Vec<SignedHeader> {
        let time = written(now);
        let mut added = vec![("x-amz-date", time.clone())];
        if let Some(token) = &credentials.session_token {
            added.push(("x-amz-security-token", token.expose().to_owned()));
        }
        let (canonical, signed) = canonical(request, &added);
        let day = &time[..8];
        let scope = format!("{day}/{}/{}/{TERMINATOR}", self.region, self.service);
        let hash = HEXLOWER.encode(&sha256(&canonical));
        let to_sign = format!("{ALGORITHM}\n{time}\n{scope}\n{hash}");
        let secret = format!("AWS4{}", credentials.secret_access_key.expose());
        let parts = [day, &self.region, &self.service, TERMINATOR, &to_sign];
        let signature = parts.iter().fold(secret.into_bytes(), |key, part| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
            hmac::sign(&key, part.as_bytes()).as_ref().to_vec()
        });
        let authorization = format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={signed}, Signature={}",
            credentials.access_key_id,
            HEXLOWER.encode(&signature)
        );
        added.push(("authorization", authorization));
        added
    }
}

/// The canonical request, and the names of its headers.
fn canonical(request: &Signable<'_>, added: &[SignedHeader]) -> (Vec<u8>, String) {
    let host = host(request.url);
    let is_given = request.headers.iter().any(|(name, _)| *name == "host");
    let own_host = (!is_given).then_some(("host", host.as_bytes()));
    let added = added.iter().map(|(name, value)| (*name, value.as_bytes()));
    let mut headers: Vec<(&str, &[u8])> = request
        .headers
        .iter()
        .copied()
        .chain(added)
        .chain(own_host)
        .collect();
    // Values of the same name keep their order.
    headers.sort_by_key(|(name, _)| *name);
    let path = path(request.url.path());
    let query = query(request.url.query().unwrap_or_default());
    let mut out = format!("{}\n{path}\n{query}", request.method).into_bytes();
    let mut signed = String::new();
    let mut last = None;
    for (name, value) in &headers {
        if last.replace(*name) == Some(name) {
            out.push(b',');
        } else {
            let separator = if signed.is_empty() { "" } else { ";" };
            signed.push_str(separator);
            signed.push_str(name);
            out.extend_from_slice(format!("\n{name}:").as_bytes());
        }
        out.extend(words(value).collect::<Vec<_>>().join(&b' '));
    }
    let given = headers.iter().find(|(name, _)| *name == CONTENT_HASH);
    let hash = match given {
        Some((_, value)) => value.to_vec(),
        None => HEXLOWER.encode(&sha256(request.body)).into_bytes(),
    };
    out.extend_from_slice(format!("\n\n{signed}\n").as_bytes());
    out.extend(hash);
    (out, signed)
}

/// The words of a header's value: AWS takes white space between them for one space.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = value.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// The `Host` header of a request.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The path, encoded once more than it is sent, without empty segments.
fn path(path: &str) -> String {
    // The parser of URLs has resolved `.` and `..`.
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut plain = format!("/{}", segments.join("/"));
    if path.ends_with('/') && !segments.is_empty() {
        plain.push('/');
    }
    percent_encode(plain.as_bytes(), ENCODED_IN_PATH).to_string()
}

/// The parameters, encoded in one way, in order.
fn query(query: &str) -> String {
    let encoded = |text: &str| {
        let plain: Vec<u8> = percent_decode_str(text).collect();
        percent_encode(&plain, ENCODED).to_string()
    };
    let parts = query.split('&').filter(|part| !part.is_empty());
    let mut pairs: Vec<(String, String)> = parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(name, value)| (encoded(name), encoded(value)))
        .collect();
    pairs.sort();
    let pairs = pairs.into_iter();
    let joined: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    joined.join("&")
}

/// A time as AWS writes it: `20261119T043000Z`.
fn written(time: Timestamp) -> String {
    let seconds = i64::try_from(time.0).unwrap_or_default();
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
#[path = "sigv4_tests.rs"]
mod tests;
