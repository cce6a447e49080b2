//! Modes, owners and symbolic links.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn other_users_can_read_nothing() {
    let folder = folder();
    let store = store(&folder);
    let key = sample::key("a");
    store.write(&key, 0, sample::record("one")).unwrap();
    drop(store.lock(&key).unwrap());
    let auth = folder.path().join("auth");
    assert_eq!(mode(&auth), 0o700);
    let names: Vec<_> = fs::read_dir(&auth)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for path in names {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn modes_that_are_too_wide_are_narrowed() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    let auth = folder.path().join("auth");
    let paths = [auth.clone(), auth.join("store"), auth.join("key")];
    for path in &paths {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert!(store(&folder).read(&key).unwrap().is_some());
    assert_eq!(paths.map(|path| mode(&path)), [0o700, 0o600, 0o600]);
}

#[test]
fn a_folder_that_is_a_symbolic_link_is_refused() {
    let folder = folder();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let link = folder.path().join("auth");
    symlink("elsewhere", &link).unwrap();
    for path in [link.clone(), link.join("")] {
        let error = open(&path, KeySource::File).err();
        assert!(
            matches!(error, Some(StoreError::Symlink { .. })),
            "{error:?}"
        );
    }
    // Also if it becomes one later.
    fs::remove_file(&link).unwrap();
    let store = store(&folder);
    symlink("elsewhere", &link).unwrap();
    let error = store.write(&sample::key("a"), 0, sample::record("one"));
    assert!(
        matches!(error, Err(StoreError::Symlink { .. })),
        "{error:?}"
    );
}

#[test]
fn a_file_that_is_a_symbolic_link_is_refused() {
    for name in ["store", "key", "lock-store"] {
        let folder = folder();
        let key = sample::key("a");
        store(&folder)
            .write(&key, 0, sample::record("one"))
            .unwrap();
        let path = folder.path().join("auth").join(name);
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        let error = store(&folder).write(&key, 1, sample::record("two"));
        assert!(
            matches!(error, Err(StoreError::Symlink { .. })),
            "{name}: {error:?}"
        );
        assert_eq!(fs::read(&elsewhere).unwrap(), before, "{name}");
    }
}

#[test]
fn a_link_in_the_place_of_the_temporary_file_is_not_followed() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "untouched").unwrap();
    symlink(&victim, folder.path().join("auth").join("store.new")).unwrap();
    store(&folder)
        .write(&key, 1, sample::record("two"))
        .unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
}

#[test]
fn a_fifo_in_the_place_of_the_store_does_not_block() {
    let folder = folder();
    let auth = folder.path().join("auth");
    fs::create_dir(&auth).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, auth.join("store"), fifo, mode, 0).unwrap();
    let error = store(&folder).read(&sample::key("a")).unwrap_err();
    assert!(matches!(error, StoreError::WrongKind { .. }), "{error:?}");
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let folder = folder();
    let is_root = rustix::process::geteuid().is_root();
    let path = if is_root {
        let path = folder.path().join("auth");
        fs::create_dir(&path).unwrap();
        chown(&path, Some(65_534), None).unwrap();
        path
    } else {
        Path::new("/").to_owned()
    };
    let error = open(&path, KeySource::File).err();
    assert!(
        matches!(error, Some(StoreError::NotOurs { .. })),
        "{error:?}"
    );
}
