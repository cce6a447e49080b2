//! Whether a remote server's address takes connections at all.

use http::Uri;
use linkspan_session::Fault;
use tower_service::Service;

use super::dial::Dial;
use super::options::HttpOptions;
use super::sending::chain;

/// Connects to the server's address, through the proxy if there is one, and closes the connection. It sends nothing to
/// the server.
pub async fn reach(options: &HttpOptions) -> Result<(), Fault> {
    let failed = |why: String| Fault::ConnectFailed {
        peer: options.peer(),
        why,
        tries: 1,
    };
    let uri: Uri = match options.url.as_str().parse() {
        Ok(uri) => uri,
        Err(_) => return Err(failed("it is not a URL that HTTP can use".to_owned())),
    };
    let mut dial = Dial::new(options, &uri).map_err(|e| failed(e.to_string()))?;
    match dial.call(uri).await {
        Ok(_) => Ok(()),
        Err(e) => Err(failed(in_words(&*e))),
    }
}

/// The error and its causes; unlike for a request there is no outermost "client error (Connect)".
fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    match error.source() {
        Some(_) => format!("{error}: {}", chain(error)),
        None => error.to_string(),
    }
}
