//! Where `cargo xtask test` has put the peers, and which bridge is under test.

use std::path::PathBuf;

/// The folder of the installed peers.
pub fn folder() -> PathBuf {
    std::env::var_os("LINKSPAN_PEERS")
        .map(PathBuf::from)
        .expect("LINKSPAN_PEERS is not set: run these tests with `cargo xtask test`")
}

/// A Node that is new enough for the peers.
pub fn node() -> PathBuf {
    folder().join("bin").join("node")
}

/// A script of one of the npm peers.
pub fn npm(path: &str) -> PathBuf {
    let packages = folder().join("npm/node_modules/@modelcontextprotocol");
    packages.join(path)
}

/// A script of one of the servers that are installed for the gateway.
pub fn server(path: &str) -> PathBuf {
    folder().join("servers/node_modules").join(path)
}

/// Our script that needs npm packages, in the folder where it finds them.
pub fn npm_script(name: &str) -> PathBuf {
    folder().join("npm").join(name)
}

/// The Python that has the peers' packages.
pub fn python() -> PathBuf {
    folder().join("py").join("bin").join("python")
}

/// The reference of BCP.
pub fn bcp() -> PathBuf {
    folder().join("bcp/bin/bcp")
}

/// One of the ACP peers.
pub fn acp(name: &str) -> PathBuf {
    folder().join("acp/bin").join(name)
}

/// The words of the conductor under test, without the components.
pub fn conductor() -> Vec<String> {
    match std::env::var("LINKSPAN_CONDUCTOR") {
        Ok(other) => other.split_whitespace().map(str::to_owned).collect(),
        Err(_) => vec![linkspan().to_owned(), "conduct".to_owned()],
    }
}

/// Our script that a peer runs.
pub fn script(name: &str) -> PathBuf {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.join("xtask/peers").join(name)
}

/// Our own program.
pub fn linkspan() -> &'static str {
    env!("CARGO_BIN_EXE_linkspan")
}

/// The words of the bridge's command line, with the URL at the end.
pub fn bridge(url: &str) -> Vec<String> {
    let mut words: Vec<String> = match std::env::var("LINKSPAN_BRIDGE") {
        Ok(other) => other.split_whitespace().map(str::to_owned).collect(),
        Err(_) => vec![linkspan().to_owned(), "connect".to_owned()],
    };
    words.push(url.to_owned());
    words
}
