//! The listener that the browser is sent back to. It lives only while a sign-in runs and takes one answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderValue, LOCATION};
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use linkspan_auth::sha256;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use url::Url;

use crate::loopback::{Loopback, PageResponse, escape_html, html_page};

/// Ports that belong to no service (RFC 6335).
const FIRST: u16 = 49_152;

/// A listener on this machine only.
pub(crate) struct Callback {
    listener: Loopback,
    pub(crate) port: u16,
}

impl Callback {
    /// Listens on the first of these ports that is free, or on any if none is; `only` allows no other.
    pub(crate) async fn bind(ports: &[u16], only: bool) -> io::Result<Self> {
        let mut last = None;
        for port in ports {
            match Self::at(*port).await {
                Ok(bound) => return Ok(bound),
                Err(error) => last = Some((*port, error)),
            }
        }
        match last {
            Some((port, error)) if only => Err(io::Error::new(
                error.kind(),
                format!("cannot listen on port {port} for the browser: {error}"),
            )),
            _ => Self::at(0).await,
        }
    }

    async fn at(port: u16) -> io::Result<Self> {
        let listener = Loopback::at(port).await?;
        let port = listener.port();
        Ok(Self { listener, port })
    }

    /// A port that stays the same for a server, so that a registration can be used again.
    pub(crate) fn preferred(name: &str) -> u16 {
        let hash = sha256(name.as_bytes());
        let number = u16::from_be_bytes([hash[0], hash[1]]);
        FIRST + number % (u16::MAX - FIRST)
    }

    /// Waits for the expected answer, and returns its query.
    pub(crate) async fn answer(self, expected: Expected) -> io::Result<String> {
        let (tx, rx) = oneshot::channel();
        let page = Arc::new(Page {
            expected,
            found: Mutex::new(Some(tx)),
        });
        let respond = move |request| std::future::ready(page.respond(&request));
        let serving = self.listener.serve(respond);
        tokio::pin!(serving);
        let ended = || io::Error::other("the listener has ended");
        let answer = tokio::select! {
            answer = rx => answer.map_err(|_| ended())?,
            () = &mut serving => return Err(ended()),
        };
        // The page of the answer is still on its way.
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(answer)
    }
}

/// The answer that a sign-in waits for.
pub(crate) struct Expected {
    /// The `state` that identifies it.
    pub(crate) state: String,
    /// The path of its redirect URI.
    pub(crate) path: String,
    /// The server that the user signs in to.
    pub(crate) server: String,
    /// Where the browser goes next if the answer has a code, in place of our own page.
    pub(crate) success: Option<Url>,
}

struct Page {
    expected: Expected,
    found: Mutex<Option<oneshot::Sender<String>>>,
}

impl Page {
    /// Every request but the answer to this sign-in is not found.
    fn respond(&self, request: &Request<Incoming>) -> PageResponse {
        let query = request.uri().query().unwrap_or_default();
        let mut states = url::form_urlencoded::parse(query.as_bytes())
            .filter(|(name, _)| name == "state")
            .map(|(_, value)| value);
        let expected = &self.expected;
        let is_ours = states.next().is_some_and(|state| state == expected.state);
        if request.method() != Method::GET || request.uri().path() != expected.path || !is_ours {
            return page(
                StatusCode::NOT_FOUND,
                "Not found",
                "This page is not part of a sign-in.",
            );
        }
        if let Some(found) = self.found.lock().take() {
            let _ = found.send(query.to_owned());
        }
        let has_code =
            url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "code");
        if let Some(next) = expected.success.as_ref().filter(|_| has_code)
            && let Ok(next) = HeaderValue::try_from(next.as_str())
        {
            let mut response = page(StatusCode::SEE_OTHER, "linkspan: sign-in", "");
            response.headers_mut().insert(LOCATION, next);
            return response;
        }
        let text = format!(
            "linkspan has the answer for <b>{}</b>. Return to your client; you can close this tab.",
            escape_html(&expected.server)
        );
        page(StatusCode::OK, "linkspan: sign-in", &text)
    }
}

fn page(status: StatusCode, title: &str, text: &str) -> PageResponse {
    html_page(
        status,
        format!(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{title}</title><style>body{{font:18px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}}</style><h1>{title}</h1><p>{text}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    async fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn only_the_answer_of_this_sign_in_is_taken() {
        let callback = Callback::bind(&[], false).await.unwrap();
        let port = callback.port;
        let waiting = tokio::spawn(callback.answer(expected("/callback", None)));
        for target in [
            "/",
            "/callback",
            "/callback?state=wrong&code=1",
            "/x?state=right",
        ] {
            let answer = get(port, target).await;
            assert!(answer.starts_with("HTTP/1.1 404"), "{target}: {answer}");
        }
        let answer = get(port, "/callback?code=1&state=right").await;
        assert!(answer.starts_with("HTTP/1.1 200"));
        assert!(answer.contains("no-referrer") && answer.contains("&lt;x&gt;"));
        assert_eq!(waiting.await.unwrap().unwrap(), "code=1&state=right");
    }

    fn expected(path: &str, success: Option<&str>) -> Expected {
        Expected {
            state: "right".to_owned(),
            path: path.to_owned(),
            server: "https://h/<x>".to_owned(),
            success: success.map(|url| url.parse().unwrap()),
        }
    }

    #[tokio::test]
    async fn the_browser_goes_on_to_the_page_of_the_user_on_a_path_of_the_user() {
        let callback = Callback::bind(&[], false).await.unwrap();
        let port = callback.port;
        let expected = expected("/oauth/callback", Some("https://app.example/done"));
        let waiting = tokio::spawn(callback.answer(expected));
        let wrong = get(port, "/callback?code=1&state=right").await;
        assert!(wrong.starts_with("HTTP/1.1 404"), "{wrong}");
        let answer = get(port, "/oauth/callback?code=1&state=right").await;
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        assert!(answer.contains("location: https://app.example/done\r\n"));
        assert_eq!(waiting.await.unwrap().unwrap(), "code=1&state=right");
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_an_error_only_if_no_other_will_do() {
        let first = Callback::bind(&[], false).await.unwrap();
        let second = Callback::bind(&[first.port], false).await.unwrap();
        assert_ne!(first.port, second.port);
        let refused = Callback::bind(&[first.port], true).await.err().unwrap();
        assert!(refused.to_string().contains(&first.port.to_string()));
    }

    #[test]
    fn the_preferred_port_is_stable_and_free_for_all() {
        let port = Callback::preferred("https://h/mcp");
        assert_eq!(port, Callback::preferred("https://h/mcp"));
        assert!(port >= FIRST);
    }
}
