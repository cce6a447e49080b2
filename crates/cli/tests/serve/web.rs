//! A folder server over HTTP.

use linkspan_testkit::{Bridge, Client, Signal};

use crate::folder::Folder;

/// A listening server. On drop, it has to end cleanly without leftovers.
pub struct Web<'a> {
    folder: &'a Folder,
    bridge: Bridge,
    url: String,
}

impl<'a> Web<'a> {
    pub fn start(folder: &'a Folder, flags: &[&str]) -> Self {
        let flags = [&["--http", "--port", "0"], flags].concat();
        let bridge = folder.launch(&flags).start();
        let url = bridge.line();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self {
            folder,
            bridge,
            url,
        }
    }

    /// A client before its first request.
    pub fn client(&self) -> Client {
        let rest = self.url.trim_start_matches("http://");
        let (address, path) = rest.split_once('/').expect("a path");
        Client {
            address: address.parse().expect("an address"),
            path: format!("/{path}"),
            headers: Vec::new(),
        }
    }
}

impl Drop for Web<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server's log:\n{}", self.bridge.stderr());
            return;
        }
        self.bridge.signal(Signal::Terminate);
        let code = self.bridge.exit_code();
        assert_eq!(code, Some(143), "{}", self.bridge.stderr());
        self.folder.wait_until_quiet();
        let left = self.folder.leftovers();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}
