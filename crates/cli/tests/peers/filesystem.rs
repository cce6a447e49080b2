//! The official filesystem server, which knows stdio and the legacy era only.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::exposed::Exposed;
use crate::sdk::{Era, Language, Sdk};
use crate::words;

/// A folder with two files, removed at the end of the test.
pub struct Quay(PathBuf);

impl Quay {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linkspan-quay-{}-{number}", std::process::id());
        // The server reports real paths, and refuses paths through links.
        let folder = fs::canonicalize(std::env::temp_dir()).expect("a folder for temporary files");
        let folder = folder.join(name);
        fs::create_dir_all(folder.join("sheds")).expect("a folder can be made");
        fs::write(
            folder.join("notice.txt"),
            "Mind the gap — “ø”\n\tand tabs\n",
        )
        .expect("a file can be written");
        fs::write(folder.join("sheds/one.bin"), [0, 159, 146, 150]).expect("and another one");
        Self(folder)
    }

    pub fn words(&self) -> Vec<String> {
        words::filesystem(&self.0)
    }

    pub fn path(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("our names are text").to_owned()
    }

    fn calls(&self) -> Vec<(&'static str, String)> {
        let tool = |name: &str, arguments: String| {
            let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
            ("tools/call", params)
        };
        let at = |name: &str| format!(r#"{{"path":"{}"}}"#, self.path(name));
        vec![
            ("tools/list", "{}".to_owned()),
            tool("list_allowed_directories", "{}".to_owned()),
            tool("list_directory", at("")),
            tool("directory_tree", at("")),
            tool("read_text_file", at("notice.txt")),
            tool("read_text_file", at("no such file")),
            tool("list_directory", at("..")),
        ]
    }
}

impl Drop for Quay {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every client of the era gets the server's own results from the target.
fn serves(quay: &Quay, era: Era, target: &[String]) {
    let calls = quay.calls();
    let calls: Vec<(&str, &str)> = calls.iter().map(|(m, p)| (*m, p.as_str())).collect();
    for language in [Language::TypeScript, Language::Python] {
        let direct = Sdk {
            language,
            era: Era::Legacy,
        };
        let direct = direct.run(&calls, &quay.words());
        let bridged = Sdk { language, era }.run(&calls, target);
        assert_eq!(bridged.results, direct.results, "{language:?}");
        assert_eq!(bridged.server, direct.server, "{language:?}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn modern_clients_reach_the_files_through_expose() {
    let quay = Quay::new();
    let exposed = Exposed::start(&quay.words());
    serves(&quay, Era::Modern, &[exposed.url("/mcp")]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn legacy_clients_reach_the_files_through_expose() {
    let quay = Quay::new();
    let exposed = Exposed::start(&quay.words());
    serves(&quay, Era::Legacy, &[exposed.url("/mcp")]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn modern_clients_reach_the_files_through_connect() {
    let quay = Quay::new();
    serves(&quay, Era::Modern, &words::connect(&quay.words()));
}

/// Clients with one root each can read its files, and not those of the previous client.
fn serves_roots(era: Era, target: &[String]) {
    let quays = [Quay::new(), Quay::new()];
    for language in [Language::TypeScript, Language::Python] {
        for (quay, other) in [(&quays[0], &quays[1]), (&quays[1], &quays[0])] {
            let read = |quay: &Quay| {
                let path = quay.path("notice.txt");
                format!(r#"{{"name":"read_text_file","arguments":{{"path":"{path}"}}}}"#)
            };
            let (own, foreign) = (read(quay), read(other));
            let calls = [("tools/call", &*own), ("tools/call", &*foreign)];
            let told = Sdk { language, era }.run_in(&quay.path(""), &calls, target);
            let said = |n: usize| told.results[n]["content"].to_string();
            assert!(
                said(0).contains("Mind the gap"),
                "{language:?}: {}",
                said(0)
            );
            assert!(said(1).contains("denied"), "{language:?}: {}", said(1));
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn modern_clients_reach_the_files_in_their_roots_through_expose() {
    let exposed = Exposed::start(&words::filesystem_of_the_client());
    serves_roots(Era::Modern, &[exposed.url("/mcp")]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn clients_of_a_shared_server_reach_the_files_in_their_roots() {
    let mut target = vec!["--share".to_owned(), "--".to_owned()];
    target.extend(words::filesystem_of_the_client());
    let exposed = Exposed::target(&target);
    for era in [Era::Modern, Era::Legacy] {
        serves_roots(era, &[exposed.url("/mcp")]);
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn modern_clients_reach_the_files_in_their_roots_through_connect() {
    let target = words::connect(&words::filesystem_of_the_client());
    serves_roots(Era::Modern, &target);
}
