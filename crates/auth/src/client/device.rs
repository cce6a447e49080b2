//! A code for another device (RFC 8628).

use std::time::Duration;

use url::Url;

use super::error::{SignInError, is_refused, refused};
use super::server_metadata::safe_url;
use crate::members::Members;
use crate::{HttpResponse, Secret};

/// The grant of the token request.
pub(super) const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// Bounds of what a server may say: how often it is asked, and for how long.
const INTERVAL: (u64, u64) = (1, 60);
const LIFETIME: u64 = 1800;

/// What the user has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCode {
    /// The page to open.
    pub url: Url,
    /// The same page with the code filled in, if there is one.
    pub complete: Option<Url>,
    /// The code to type there.
    pub user_code: String,
    /// How long it is valid.
    pub lifetime: Duration,
}

/// A code that is polled for.
#[derive(Debug, Clone)]
pub(super) struct Polling {
    pub(super) code: Secret,
    pub(super) interval: Duration,
    pub(super) shown: DeviceCode,
}

pub(super) fn started(
    issuer: &str,
    endpoint: &Url,
    response: &HttpResponse,
    insecure_http: bool,
) -> Result<Polling, SignInError> {
    let bad = |why| SignInError::BadAnswer {
        url: endpoint.to_string(),
        why,
    };
    if is_refused(response) {
        return Err(refused(issuer, endpoint, response));
    }
    let started = Members::read(&response.body).unwrap_or_default();
    let text = |name| {
        let text = started.text(name);
        text.ok_or_else(|| bad("a device authorization without its codes"))
    };
    let page = text("verification_uri").or_else(|_| text("verification_url"))?;
    let url = safe_url(page, insecure_http)
        .ok_or_else(|| bad("a page that is neither https nor on this machine"))?;
    let complete = started.text("verification_uri_complete");
    let (least, most) = INTERVAL;
    let lifetime = started.number("expires_in").unwrap_or(LIFETIME);
    let user_code = text("user_code")?.chars().filter(|c| !c.is_control());
    Ok(Polling {
        code: Secret::new(text("device_code")?),
        interval: Duration::from_secs(started.number("interval").unwrap_or(5).clamp(least, most)),
        shown: DeviceCode {
            url,
            complete: complete.and_then(|url| safe_url(url, insecure_http)),
            user_code: user_code.take(40).collect(),
            lifetime: Duration::from_secs(lifetime.min(LIFETIME)),
        },
    })
}

/// What a refused poll means.
pub(super) enum Poll {
    /// Ask again after the interval.
    Pending,
    /// Ask again, less often.
    Slower,
    /// Over.
    Over,
}

pub(super) fn poll(code: &str) -> Poll {
    match code {
        "authorization_pending" => Poll::Pending,
        "slow_down" => Poll::Slower,
        _ => Poll::Over,
    }
}
