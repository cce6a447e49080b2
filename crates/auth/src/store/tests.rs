//! The store on disk.

mod damage;
mod keys;
#[cfg(unix)]
mod ownership;
mod processes;

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use url::Url;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A store in a folder that the store makes itself.
fn store(folder: &TempDir) -> Store {
    open(&folder.path().join("auth"), KeySource::File).unwrap()
}

fn open(folder: &Path, key: KeySource) -> Result<Store> {
    let folder = folder.to_owned();
    Store::open(StoreOptions { folder, key })
}

#[test]
fn a_record_is_found_by_another_process() {
    let folder = folder();
    let key = sample::key("a");
    let written = store(&folder).write(&key, 0, sample::record("one"));
    assert_eq!(written.unwrap(), 1);
    let read = store(&folder).read(&key).unwrap().unwrap();
    let expected = Record {
        generation: 1,
        ..sample::record("one")
    };
    assert_eq!(read, expected);
    assert_eq!(store(&folder).list().unwrap(), [(key, expected)]);
    assert_eq!(store(&folder).read(&sample::key("b")).unwrap(), None);
}

#[test]
fn reading_makes_neither_folder_nor_key() {
    let folder = folder();
    let store = store(&folder);
    assert_eq!(store.read(&sample::key("a")).unwrap(), None);
    assert_eq!(store.list().unwrap(), []);
    assert_eq!(store.key_place(), None);
    assert!(!folder.path().join("auth").exists());
}

#[test]
fn nothing_secret_is_in_any_file_but_the_key() {
    let folder = folder();
    let store = store(&folder);
    store
        .write(&sample::key("a"), 0, sample::record("a-secret-token"))
        .unwrap();
    store
        .save_registration("https://as.example", sample::registration("client"))
        .unwrap();
    for entry in fs::read_dir(folder.path().join("auth")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for secret in ["a-secret-token", "password of the client", "as.example"] {
            let mut windows = bytes.windows(secret.len());
            let found = windows.any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
}

#[test]
fn a_server_is_found_by_any_spelling_of_its_url() {
    let folder = folder();
    let store = store(&folder);
    let url = |text: &str| Url::parse(text).unwrap();
    let (old, new) = (sample::key("old"), sample::key("new"));
    let server = url("https://mcp.example.com/mcp");
    let keep = |profile, key, token| store.keep(&server, profile, key, 0, sample::record(token));
    assert_eq!(store.find(&server, "").unwrap(), None);
    keep("", &new, "new").unwrap();
    for spelling in [
        "https://mcp.example.com/mcp",
        "https://MCP.example.com:443/mcp#top",
    ] {
        let (key, record) = store.find(&url(spelling), "").unwrap().unwrap();
        assert_eq!((key, sample::token(&record)), (new, "new"), "{spelling}");
    }
    assert_eq!(store.find(&server, "work").unwrap(), None);
    keep("work", &old, "old").unwrap();
    let found = store.find(&server, "work").unwrap();
    assert_eq!(found.map(|(key, _)| key), Some(old));
}

#[test]
fn registrations_are_kept_by_issuer() {
    let folder = folder();
    let store = store(&folder);
    let issuer = "https://as.example";
    assert_eq!(store.registration(issuer).unwrap(), None);
    for client in ["first", "second"] {
        let registration = sample::registration(client);
        store
            .save_registration(issuer, registration.clone())
            .unwrap();
        assert_eq!(store.registration(issuer).unwrap(), Some(registration));
    }
    assert_eq!(store.registration("https://as.example/").unwrap(), None);
}

#[test]
fn signing_out_needs_no_generation() {
    let folder = folder();
    let store = store(&folder);
    let key = sample::key("a");
    assert!(!store.sign_out(&key, Timestamp(1)).unwrap());
    store.write(&key, 0, sample::record("one")).unwrap();
    assert!(store.sign_out(&key, Timestamp(1)).unwrap());
    let record = store.read(&key).unwrap().unwrap();
    assert_eq!((record.status, record.generation), (Status::SignedOut, 2));
}

#[test]
fn sign_ins_are_counted_across_processes() {
    let folder = folder();
    let key = sample::key("a");
    let now = Timestamp(1_800_000_000);
    for _ in 0..5 {
        store(&folder).begin_login(&key, now).unwrap();
    }
    let refused = store(&folder).begin_login(&key, now);
    assert!(matches!(refused, Err(StoreError::Storm(_))), "{refused:?}");
    store(&folder).begin_login(&sample::key("b"), now).unwrap();
}

#[test]
fn a_secret_is_found_by_its_name_and_stands_in_no_file_as_it_is() {
    let folder = folder();
    let value = "sk-123456789abcdef";
    store(&folder)
        .save_secret("search", Secret::new(value))
        .unwrap();
    store(&folder)
        .write(&sample::key("a"), 0, sample::record("a"))
        .unwrap();
    let found = store(&folder).secret("search").unwrap();
    assert_eq!(
        found.map(|it| it.expose().to_owned()).as_deref(),
        Some(value)
    );
    assert_eq!(store(&folder).secret_names().unwrap(), ["search"]);
    for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        assert!(
            !bytes
                .windows(value.len())
                .any(|part| part == value.as_bytes())
        );
    }
    assert!(store(&folder).remove_secret("search").unwrap());
    assert!(!store(&folder).remove_secret("search").unwrap());
    assert_eq!(store(&folder).secret("search").unwrap(), None);
}

#[test]
fn a_lock_excludes_other_locks_of_the_same_name_only() {
    let folder = folder();
    let store = store(&folder);
    let (one, other) = (sample::key("a"), sample::key("b"));
    let held = store.lock(&one).unwrap();
    assert!(store.try_lock(&one).unwrap().is_none());
    assert!(store.try_lock(&other).unwrap().is_some());
    let server = LockName::server(&Url::parse("https://h/mcp").unwrap(), "");
    assert!(store.try_lock(server).unwrap().is_some());
    let error = store
        .lock_within(&one, Duration::from_millis(5))
        .unwrap_err();
    if cfg!(unix) {
        assert_eq!(store.holder(&one), Some(std::process::id()));
        let pid = format!("(pid {})", std::process::id());
        assert!(error.to_string().contains(&pid), "{error}");
    }
    // The file can be written meanwhile.
    store.write(&one, 0, sample::record("one")).unwrap();
    drop(held);
    assert_eq!(store.holder(&one), None);
    assert!(store.try_lock(&one).unwrap().is_some());
}
