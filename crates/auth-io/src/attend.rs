//! A sign-in that another process has begun, such as the one behind a client: it is shown here as well, and can be
//! finished here.

use std::io;
use std::time::Duration;

use linkspan_auth::store::{Record, Status, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use url::{Host, Url};

use crate::perform::{PerformError, Person, blocking};
use crate::prompt::Prompt;
use crate::settings::Settings;

/// How often the state of the sign-in is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long the listener of the other process may take to answer.
const DELIVERY: Duration = Duration::from_secs(10);

/// Waits for the end of the sign-in at this server that another process has begun. `None` if there is none, or if it
/// led to no tokens.
pub async fn attend(
    settings: &Settings,
    person: &mut Person<'_>,
) -> Result<Option<Record>, PerformError> {
    let mut shown = None;
    while is_running(settings).await? {
        let prompt = settings.prompt_file().read();
        if prompt.is_some() && prompt != shown {
            shown = prompt;
            shown.iter().for_each(|prompt| (person.show)(prompt));
        }
        let line = async {
            match &mut person.pasted {
                Some(lines) => lines.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            line = line => match (line, &shown) {
                (Some(line), Some(prompt)) => deliver(&line, prompt).await,
                (Some(_), None) => {}
                (None, _) => person.pasted = None,
            },
            () = sleep(LOOK) => {}
        }
    }
    if shown.is_none() {
        return Ok(None);
    }
    let own = settings.clone();
    let found = blocking(move || {
        let store = Store::open(own.store.clone())?;
        store.find(own.server(), &own.profile())
    });
    let record = found.await?.map(|(_, record)| record);
    Ok(record.filter(|record| record.status == Status::Active))
}

async fn is_running(settings: &Settings) -> Result<bool, PerformError> {
    let own = settings.clone();
    let lock = blocking(move || Store::open(own.store.clone())?.try_lock(own.lock()));
    Ok(lock.await?.is_none())
}

/// Does with a pasted URL what the browser could not: asks the listener of the other process for it.
async fn deliver(line: &str, prompt: &Prompt) {
    let Some(url) = pasted(line, prompt) else {
        tracing::warn!("that is not the URL of the page after the sign-in");
        return;
    };
    match timeout(DELIVERY, ask(&url)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("the process that signs in does not answer: {error}"),
        Err(_) => tracing::warn!("the process that signs in does not answer"),
    }
}

/// The URL, if it is where the page of the prompt leads to, on this machine.
fn pasted(line: &str, prompt: &Prompt) -> Option<Url> {
    let page = Url::parse(&prompt.url).ok()?;
    let param = |url: &Url, name: &str| {
        let mut pairs = url.query_pairs();
        let pair = pairs.find(|(own, _)| own == name);
        pair.map(|(_, value)| value.into_owned())
    };
    let back = Url::parse(&param(&page, "redirect_uri")?).ok()?;
    let url = Url::parse(line.trim()).ok()?;
    let is_there = url.origin() == back.origin() && url.path() == back.path();
    let is_ours = param(&url, "state").is_some() && param(&url, "state") == param(&page, "state");
    let is_here = match url.host()? {
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
        Host::Domain(name) => name == "localhost",
    };
    (is_there && is_ours && is_here && url.scheme() == "http").then_some(url)
}

async fn ask(url: &Url) -> io::Result<()> {
    let port = url.port_or_known_default().unwrap_or(80);
    let host = url.host_str().unwrap_or_default();
    // The listener is at both addresses of this machine; the URL names one of them or `localhost`.
    let mut stream = TcpStream::connect(("localhost", port)).await?;
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let head = format!("GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut beginning = [0; 64];
    match stream.read(&mut beginning).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_page_that_is_shown_is_delivered() {
        let back = "http://127.0.0.1:4711/callback";
        let page = format!("https://as/authorize?redirect_uri={back}&state=s");
        let prompt = |url: &str| Prompt {
            server: "https://h/mcp".to_owned(),
            url: url.to_owned(),
            user_code: None,
            opened: false,
        };
        let is_taken = |line: &str| pasted(line, &prompt(&page)).is_some();
        assert!(is_taken(&format!(" {back}?code=c&state=s\n")));
        for line in [
            "hello".to_owned(),
            format!("{back}?code=c&state=x"),
            format!("{back}?code=c"),
            "http://127.0.0.1:4712/callback?code=c&state=s".to_owned(),
            "http://127.0.0.1:4711/other?code=c&state=s".to_owned(),
        ] {
            assert!(!is_taken(&line), "{line}");
        }
        // Nothing is sent to other machines, whatever the page says.
        let far = "http://as.example/callback";
        let page = format!("https://as/authorize?redirect_uri={far}&state=s");
        assert!(pasted(&format!("{far}?code=c&state=s"), &prompt(&page)).is_none());
    }
}
