//! Sends requests to one origin, and follows redirects that stay on it.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use http::{Method, StatusCode};
use linkspan_openapi::{Request, Response};
use linkspan_ports::{AddressRule, HttpOptions, HttpRequestError, Requests};
use tokio::time::timeout;
use url::Url;

/// Redirects of one request.
const REDIRECTS: usize = 5;

/// Sends requests to one origin.
pub(crate) struct Exchange {
    requests: Requests,
    origin: url::Origin,
    /// The headers of every request.
    headers: HeaderMap,
    time: Duration,
}

impl Exchange {
    /// Requests to the origin of these options, with their headers. `rule` says which addresses must not be asked.
    pub(crate) fn new(
        options: &HttpOptions,
        rule: Option<AddressRule>,
        limit: usize,
        time: Duration,
    ) -> Self {
        Self {
            requests: Requests::new(options, rule, limit, time),
            origin: options.url().origin(),
            headers: options.headers().clone(),
            time,
        }
    }

    /// Sends a request and reads the response.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, HttpRequestError> {
        let sending = self.follow(request);
        let sent = timeout(self.time, sending).await;
        sent.unwrap_or(Err(HttpRequestError::TooSlow(self.time)))
    }

    async fn follow(&self, request: Request) -> Result<Response, HttpRequestError> {
        let Request {
            mut method,
            mut url,
            mut headers,
            mut body,
            ..
        } = request;
        for name in self.headers.keys() {
            headers.remove(name);
        }
        for (name, value) in &self.headers {
            headers.append(name, value.clone());
        }
        for _ in 0..REDIRECTS {
            let response = self.one(&method, &url, &headers, &body).await?;
            let Some(next) = self.redirect(&method, &url, &response) else {
                return Ok(response);
            };
            url = next;
            if response.status == StatusCode::SEE_OTHER && method != Method::HEAD {
                method = Method::GET;
                headers.remove(CONTENT_TYPE);
                body = Bytes::new();
            }
        }
        self.one(&method, &url, &headers, &body).await
    }

    async fn one(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Response, HttpRequestError> {
        if url.origin() != self.origin {
            return Err(HttpRequestError::Options(
                "the request is for another origin".to_owned(),
            ));
        }
        let sending = self
            .requests
            .send(method.clone(), url, headers.clone(), body.clone());
        // The URL may have a key in its query.
        let response = sending.await.map_err(|error| match error {
            HttpRequestError::Options(why) if why.contains(url.as_str()) => {
                HttpRequestError::Options("its URL cannot be used".to_owned())
            }
            other => other,
        })?;
        tracing::debug!("{method} {} -> {}", url.path(), response.status().as_u16());
        let (head, body) = response.into_parts();
        Ok(Response {
            status: head.status,
            headers: head.headers,
            body,
        })
    }

    /// Where a response redirects to, if the request may be sent there: it has not been carried out, and the origin is
    /// the same.
    fn redirect(&self, method: &Method, url: &Url, response: &Response) -> Option<Url> {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let follows = match response.status.as_u16() {
            301 | 302 => is_read,
            303 | 307 | 308 => true,
            _ => false,
        };
        let location = response.headers.get(LOCATION).filter(|_| follows)?;
        let next = url.join(location.to_str().ok()?).ok()?;
        (next.origin() == self.origin).then_some(next)
    }
}
