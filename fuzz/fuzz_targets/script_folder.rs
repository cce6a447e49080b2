//! Whatever stands in the files of a folder, it is read or told about, and nothing else happens: as
//! metadata of every kind, in a script, before a prompt, as the server's file.
#![no_main]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use linkspan_scripts::folder::{Catalogue, ReadOptions};

fuzz_target!(|input: &[u8]| {
    let Some((which, text)) = input.split_first() else {
        return;
    };
    let folder = folder();
    let path = folder.join(PLACES[usize::from(*which) % PLACES.len()]);
    let script = path
        .parent()
        .is_some_and(|parent| parent.ends_with("tools"))
        && path.extension().is_some_and(|e| e == "sh");
    let text = match script {
        true => [b"#!/bin/sh\n", text].concat(),
        false => text.to_vec(),
    };
    fs::write(&path, &text).unwrap();
    let mode = if script { 0o755 } else { 0o644 };
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let read = Catalogue::read(folder, &ReadOptions::default());
    if let Ok(read) = read {
        for tool in &read.tools {
            assert!(!tool.name.is_empty() && tool.name.len() <= 64);
            assert!(tool.shown["inputSchema"].is_object());
        }
        let again = read.read_again(&ReadOptions::default()).unwrap();
        assert_eq!(again.tools.len(), read.tools.len());
    }
    fs::remove_file(path).unwrap();
});

const PLACES: &[&str] = &[
    "tools/a.meta.yaml",
    "tools/a.meta.json",
    "tools/a.meta.toml",
    "tools/b.sh",
    "tools/c.tool.yaml",
    "prompts/p.md",
    "resources/r.meta.yaml",
    "completions/p.x.json",
    "server.yaml",
    "server.toml",
];

fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = Path::new("/dev/shm");
        let base = if shared.is_dir() {
            shared.to_owned()
        } else {
            std::env::temp_dir()
        };
        let folder = base.join(format!("linkspan-fuzz-{}", std::process::id()));
        for name in ["tools", "prompts", "resources", "completions"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let tool = folder.join("tools/a.sh");
        fs::write(&tool, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    })
}
