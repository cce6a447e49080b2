//! `linkspan expose` with a server behind it, until the end of the test.

use std::net::SocketAddr;

use crate::folder_served::Web;

pub struct Exposed {
    web: Web,
    base: String,
}

impl Exposed {
    /// The stdio server that the words start.
    pub fn start(server: &[String]) -> Self {
        let mut target = vec!["--".to_owned()];
        target.extend_from_slice(server);
        Self::target(&target)
    }

    /// The server at a URL.
    pub fn remote(url: String) -> Self {
        Self::target(&[url])
    }

    /// The target of a command line.
    pub fn target(words: &[String]) -> Self {
        let verb = ["expose", "--port", "0", "--sse"].map(str::to_owned);
        let web = Web::of(&[&verb, words].concat());
        let url = web.url();
        let base = url.strip_suffix("/mcp");
        let base = base.unwrap_or_else(|| panic!("no URL of ours: {url:?}; see .peers/logs"));
        Self {
            base: base.to_owned(),
            web,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn address(&self) -> SocketAddr {
        let address = self.base.strip_prefix("http://");
        address
            .and_then(|address| address.parse().ok())
            .expect("an address and a port")
    }
}

#[cfg(target_os = "linux")]
impl Exposed {
    /// The process ids of its running children.
    pub fn children(&self) -> Vec<u32> {
        let pid = self.web.id();
        let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let list = list.expect("Linux lists the children of a thread");
        list.split_whitespace()
            .map(|child| child.parse().expect("a number"))
            .collect()
    }
}
