//! Command lines: the words that start a stdio server, with or without a bridge before it.

use std::path::Path;

use crate::installed;

/// `server-everything`, which knows the legacy era only.
pub fn everything() -> Vec<String> {
    node("server-everything/dist/index.js", &["stdio"])
}

/// `server-filesystem` on a folder, which knows the legacy era only.
pub fn filesystem(folder: &Path) -> Vec<String> {
    node("server-filesystem/dist/index.js", &[text(folder)])
}

/// `server-filesystem` on the folders that its client names as roots.
pub fn filesystem_of_the_client() -> Vec<String> {
    node("server-filesystem/dist/index.js", &[])
}

/// Our script on the official Python SDK; it serves both eras unless a flag says otherwise.
pub fn python(flags: &[&str]) -> Vec<String> {
    let mut words = vec![installed::python(), installed::script("pyserver.py")];
    words.extend(flags.iter().map(Into::into));
    words.push("stdio".into());
    words.iter().map(|word| text(word).to_owned()).collect()
}

/// `linkspan connect` with this server behind it.
pub fn connect(server: &[String]) -> Vec<String> {
    let mut words = vec![
        installed::linkspan().to_owned(),
        "connect".to_owned(),
        "--".to_owned(),
    ];
    words.extend_from_slice(server);
    words
}

fn node(script: &str, args: &[&str]) -> Vec<String> {
    let start = [installed::node(), installed::npm(script)];
    let start = start.iter().map(|word| text(word));
    start
        .chain(args.iter().copied())
        .map(str::to_owned)
        .collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the paths of tests are text")
}
