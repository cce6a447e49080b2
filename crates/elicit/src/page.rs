//! A question on a page of this machine. Its listener lives as long as the question, and its path is a secret.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use http::header::{HOST, HeaderValue, ORIGIN, REFERRER_POLICY};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use linkspan_auth_io::{Loopback, PageResponse, html_page};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::asker::{CANCEL, DECLINE, OpenPage};
use crate::form::{Form, Posted};
use crate::html;

/// The largest form that is read.
const LARGEST: usize = 1 << 20;
/// The time for the last page to be delivered.
const LAST_PAGE: Duration = Duration::from_millis(200);

struct Page {
    server: Option<String>,
    form: Form,
    path: String,
    port: u16,
    decided: Mutex<Option<oneshot::Sender<String>>>,
}

/// Asks the user; returns the result of the question. Dropping the future closes the page.
pub(crate) async fn ask(
    server: Option<String>,
    form: Form,
    open: &Arc<OpenPage>,
) -> io::Result<String> {
    let listener = Loopback::at(0).await?;
    let (decided, decision) = oneshot::channel();
    let page = Arc::new(Page {
        server,
        form,
        path: format!("/{}", secret()?),
        port: listener.port(),
        decided: Mutex::new(Some(decided)),
    });
    let url = format!("http://127.0.0.1:{}{}", page.port, page.path);
    let serving = listener.serve(move |request| respond(page.clone(), request));
    tokio::pin!(serving);
    let open = open.clone();
    // Starting a browser takes time.
    tokio::task::spawn_blocking(move || match open(&url) {
        true => tracing::warn!("the server asks something; a browser shows {url}"),
        false => tracing::error!("the server asks something; open {url} on this machine"),
    });
    let result = tokio::select! {
        result = decision => result.unwrap_or_else(|_| CANCEL.to_owned()),
        () = &mut serving => CANCEL.to_owned(),
    };
    tokio::time::sleep(LAST_PAGE).await;
    Ok(result)
}

fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(HEXLOWER.encode(&bytes))
}

async fn respond(page: Arc<Page>, request: Request<Incoming>) -> PageResponse {
    let mut response = page.answer(request).await;
    // With `no-referrer` a browser would not name the origin of a form, which is checked.
    let policy = HeaderValue::from_static("same-origin");
    response.headers_mut().insert(REFERRER_POLICY, policy);
    response
}

impl Page {
    async fn answer(&self, request: Request<Incoming>) -> PageResponse {
        // A page of the web that has rebound its name to this machine has another host.
        if request.uri().path() != self.path || !self.is_own_host(request.headers()) {
            return html_page(StatusCode::NOT_FOUND, html::done("There is no such page."));
        }
        match *request.method() {
            Method::GET => self.show(None, &[]),
            Method::POST if !self.is_own_origin(request.headers()) => html_page(
                StatusCode::FORBIDDEN,
                html::done("The form comes from another page."),
            ),
            Method::POST => match Limited::new(request.into_body(), LARGEST).collect().await {
                Ok(body) => self.post(&body.to_bytes()),
                Err(_) => html_page(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    html::done("The form is too large."),
                ),
            },
            _ => html_page(
                StatusCode::METHOD_NOT_ALLOWED,
                html::done("There is no such page."),
            ),
        }
    }

    fn show(&self, posted: Option<&Posted>, wrong: &[(usize, String)]) -> PageResponse {
        let status = match wrong {
            [] => StatusCode::OK,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let server = self.server.as_deref();
        html_page(status, html::question(server, &self.form, posted, wrong))
    }

    /// A form: the user has decided, or some answers do not fit.
    fn post(&self, body: &[u8]) -> PageResponse {
        let posted: Posted = url::form_urlencoded::parse(body).into_owned().collect();
        let action = posted.iter().find(|(key, _)| key == "action");
        let done = |text| html_page(StatusCode::OK, html::done(text));
        match action.map(|(_, value)| value.as_str()) {
            Some("decline") => self.decide(DECLINE.to_owned(), done("Declined.")),
            Some("cancel") => self.decide(CANCEL.to_owned(), done("Cancelled.")),
            Some("accept") => match (&self.form.address, self.form.read(&posted)) {
                (Some(address), _) => {
                    let leads = html_page(StatusCode::OK, html::leads_to(address));
                    self.decide(r#"{"action":"accept"}"#.to_owned(), leads)
                }
                (None, Ok(content)) => {
                    let result = format!(r#"{{"action":"accept","content":{content}}}"#);
                    self.decide(result, done("The answer was sent."))
                }
                (None, Err(wrong)) => self.show(Some(&posted), &wrong),
            },
            _ => self.show(Some(&posted), &[]),
        }
    }

    /// The first decision counts.
    fn decide(&self, result: String, page: PageResponse) -> PageResponse {
        let decided = self.decided.lock().take();
        if decided.is_some_and(|decided| decided.send(result).is_ok()) {
            return page;
        }
        html_page(
            StatusCode::GONE,
            html::done("This question has been answered."),
        )
    }

    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let own = self.hosts();
        host.is_some_and(|host| own.iter().any(|own| own == host))
    }

    /// Whether a form comes from this page. Clients without an origin are no browsers.
    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN) else {
            return true;
        };
        let own = self.hosts().map(|host| format!("http://{host}"));
        own.iter().any(|own| own.as_bytes() == origin.as_bytes())
    }

    fn hosts(&self) -> [String; 3] {
        ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{}", self.port))
    }
}
