//! What a folder may read from other machines.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use linkspan_fetch::{FetchError, Fetcher};
use linkspan_scripts::{Fetch, Fetched, Hosts, NotFetched};

use crate::exit::Failure;

/// Reads from the hosts that are allowed.
pub(super) struct Web(Fetcher);

impl Web {
    pub(super) fn new(hosts: &[String]) -> Result<Arc<Self>, Failure> {
        let fetcher = Fetcher::new(hosts).map_err(|e| {
            Failure::usage(format!("--https-host: {e}"))
                .hint("for example --https-host docs.example.com --https-host wiki.lan:8443")
        })?;
        let fetcher = fetcher.ignoring_proxy(&|name| std::env::var(name).ok());
        Ok(Arc::new(Self(fetcher)))
    }
}

impl Fetch for Web {
    fn fetch<'a>(
        &'a self,
        uri: &'a str,
        most: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Fetched, NotFetched>> + Send + 'a>> {
        Box::pin(async move {
            let got = self.0.get(uri, most).await.map_err(explain)?;
            Ok(Fetched {
                bytes: got.bytes,
                mime: got.mime,
            })
        })
    }
}

impl Hosts for Web {
    fn addresses<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, NotFetched>> + Send + 'a>> {
        Box::pin(async move { self.0.addresses(host, port).await.map_err(explain) })
    }
}

fn explain(error: FetchError) -> NotFetched {
    let why = error.to_string();
    match error {
        FetchError::Url => NotFetched::Unsupported(why),
        FetchError::NotFound(_) => NotFetched::NotFound,
        FetchError::TooLarge(_) => NotFetched::TooLarge(why),
        error if error.is_refusal() => NotFetched::Forbidden(why),
        _ => NotFetched::Failed(why),
    }
}
