//! Reads a document from a file or fetches it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, HeaderMap, HeaderValue, LOCATION};
use linkspan_openapi::{DOCUMENT_LIMIT, Request};
use linkspan_ports::HttpOptions;

use crate::error::OpenError;
use crate::exchange::Exchange;

const TIME: Duration = Duration::from_secs(30);
const MEDIA: &str = "application/json, application/yaml, application/vnd.oai.openapi, */*;q=0.5";

/// The document at the URL of these options, sent with their headers.
pub(crate) async fn document(options: &HttpOptions) -> Result<String, OpenError> {
    let exchange = Exchange::new(options, None, DOCUMENT_LIMIT, TIME);
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(MEDIA));
    let url = options.peer();
    let request = Request {
        method: Method::GET,
        url: options.url().clone(),
        headers,
        body: Bytes::new(),
    };
    let response = exchange.send(request).await;
    let response = response.map_err(|error| OpenError::Fetch {
        url: url.clone(),
        error,
    })?;
    if response.status.is_redirection()
        && let Some(Ok(target)) = response.headers.get(LOCATION).map(HeaderValue::to_str)
    {
        let target = options
            .url()
            .join(target)
            .map_or_else(|_| target.to_owned(), String::from);
        return Err(OpenError::Redirect { url, target });
    }
    if !response.status.is_success() {
        let status = response.status.as_u16();
        return Err(OpenError::Status { url, status });
    }
    String::from_utf8(response.body.into()).map_err(|error| OpenError::Read {
        name: url,
        why: error.utf8_error().to_string(),
    })
}

/// The document in a file.
pub(crate) fn file(name: &str) -> Result<String, OpenError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => OpenError::NoFile(name.to_owned()),
        _ => OpenError::Read {
            name: name.to_owned(),
            why: error.to_string(),
        },
    };
    let mut text = String::new();
    let file = File::open(name).map_err(failed)?;
    // One byte more than the limit, so that a larger document is refused and not cut off.
    let mut file = file.take(DOCUMENT_LIMIT as u64 + 1);
    file.read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}
