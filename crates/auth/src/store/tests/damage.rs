//! Stores that cannot be read.

use proptest::prelude::*;

use super::*;

#[test]
fn a_damaged_store_is_kept_aside_and_the_next_call_begins_anew() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    let path = folder.path().join("auth").join("store");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();

    let error = store(&folder).read(&key).unwrap_err();
    let StoreError::Damaged { kept, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(fs::read(kept).unwrap(), bytes);
    let message = error.to_string();
    assert!(message.contains("store.damaged-1"), "{message}");
    assert!(message.contains("linkspan login"), "{message}");
    assert_eq!(store(&folder).read(&key).unwrap(), None);

    // The second damaged file does not replace the first.
    fs::write(&path, b"").unwrap();
    let error = store(&folder)
        .write(&key, 0, sample::record("two"))
        .unwrap_err();
    assert!(error.to_string().contains("store.damaged-2"), "{error}");
    store(&folder)
        .write(&key, 0, sample::record("two"))
        .unwrap();
}

#[test]
fn a_store_of_a_newer_version_is_not_touched() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    let path = folder.path().join("auth").join("store");
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] = 2;
    fs::write(&path, &bytes).unwrap();
    for error in [
        store(&folder).read(&key).unwrap_err(),
        store(&folder)
            .write(&key, 0, sample::record("two"))
            .unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Newer { .. }), "{error:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_store_that_is_too_large_is_neither_read_nor_overwritten() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    let path = folder.path().join("auth").join("store");
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(17 << 20)
        .unwrap();
    let error = store(&folder)
        .write(&key, 1, sample::record("two"))
        .unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error:?}");
    assert_eq!(fs::metadata(&path).unwrap().len(), 17 << 20);
}

#[test]
fn a_leftover_of_a_crash_does_not_matter() {
    let folder = folder();
    let key = sample::key("a");
    store(&folder)
        .write(&key, 0, sample::record("one"))
        .unwrap();
    fs::write(folder.path().join("auth").join("store.new"), b"half a file").unwrap();
    assert_eq!(
        store(&folder)
            .write(&key, 1, sample::record("two"))
            .unwrap(),
        2
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_changed_or_cut_file_is_never_read_and_never_lost(
        at in any::<prop::sample::Index>(),
        bit in 0..8_u8,
        cut in any::<bool>(),
    ) {
        let folder = folder();
        let key = sample::key("a");
        store(&folder).write(&key, 0, sample::record("one")).unwrap();
        let path = folder.path().join("auth").join("store");
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << bit;
        }
        fs::write(&path, &bytes).unwrap();
        let error = store(&folder).read(&key).unwrap_err();
        let kept = if let StoreError::Damaged { kept, .. } = error { kept } else { path };
        prop_assert_eq!(fs::read(kept).unwrap(), bytes);
    }
}
