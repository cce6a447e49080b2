//! Where the key of a store is kept.

use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::Secret;

/// A keyring that the test controls.
#[derive(Default)]
struct Fake {
    item: Mutex<Option<Secret>>,
    is_absent: Mutex<bool>,
}

impl Keyring for Fake {
    fn load(&self) -> std::result::Result<Option<Secret>, String> {
        if *self.is_absent.lock() {
            return Err("no such service".to_owned());
        }
        Ok(self.item.lock().clone())
    }

    fn save(&self, key: &Secret) -> std::result::Result<(), String> {
        *self.item.lock() = Some(key.clone());
        Ok(())
    }
}

fn with(folder: &TempDir, key: KeySource, keyring: &Arc<Fake>) -> Store {
    let folder = folder.path().join("auth");
    let keyring = Arc::clone(keyring) as Arc<dyn Keyring>;
    Store::with_keyring(StoreOptions { folder, key }, keyring).unwrap()
}

fn write(store: &Store, profile: &str) -> Result<u64> {
    store.write(&sample::key(profile), 0, sample::record(profile))
}

fn given(byte: u8) -> KeySource {
    KeySource::Given(Secret::new(data_encoding::BASE64.encode(&[byte; 32])))
}

#[test]
fn a_new_store_uses_the_keyring_and_one_item_only() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    let store = with(&folder, KeySource::Auto, &keyring);
    write(&store, "a").unwrap();
    assert_eq!(store.key_place(), Some(KeyPlace::Keyring));
    assert!(store.is_key_new());
    assert_eq!(store.keyring_problem(), None);
    let item = keyring.item.lock().clone();
    assert!(!folder.path().join("auth").join("key").exists());

    let second = with(&folder, KeySource::Auto, &keyring);
    write(&second, "b").unwrap();
    assert!(!second.is_key_new());
    assert_eq!(second.list().unwrap().len(), 2);
    assert_eq!(*keyring.item.lock(), item);
}

#[test]
fn without_a_keyring_the_key_is_in_a_file_and_the_reason_is_known() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    *keyring.is_absent.lock() = true;
    let store = with(&folder, KeySource::Auto, &keyring);
    write(&store, "a").unwrap();
    assert_eq!(store.key_place(), Some(KeyPlace::File));
    assert_eq!(store.keyring_problem().as_deref(), Some("no such service"));

    // A keyring that comes later does not matter: the store says where its key is.
    *keyring.is_absent.lock() = false;
    let second = with(&folder, KeySource::Auto, &keyring);
    write(&second, "b").unwrap();
    assert_eq!(second.key_place(), Some(KeyPlace::File));
    assert_eq!(*keyring.item.lock(), None);
}

#[test]
fn a_keyring_that_is_gone_does_not_cost_the_store() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    write(&with(&folder, KeySource::Auto, &keyring), "a").unwrap();
    let path = folder.path().join("auth").join("store");
    let before = fs::read(&path).unwrap();

    *keyring.is_absent.lock() = true;
    let error = write(&with(&folder, KeySource::Auto, &keyring), "b").unwrap_err();
    assert!(
        matches!(error, StoreError::KeyringAbsent { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("no such service"), "{error}");

    *keyring.is_absent.lock() = false;
    let item = keyring.item.lock().take();
    let error = with(&folder, KeySource::Auto, &keyring).list().unwrap_err();
    assert!(matches!(error, StoreError::KeyMissing { .. }), "{error:?}");
    let error = write(&with(&folder, KeySource::File, &keyring), "b").unwrap_err();
    assert!(error.to_string().contains("OS keyring"), "{error}");

    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!folder.path().join("auth").join("key").exists());
    assert_eq!(*keyring.item.lock(), None);
    *keyring.item.lock() = item;
    let back = with(&folder, KeySource::Auto, &keyring).list().unwrap();
    assert_eq!(back.len(), 1);
}

#[test]
fn a_wrong_key_is_told_apart_from_damage() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    let store = with(&folder, given(1), &keyring);
    write(&store, "a").unwrap();
    assert_eq!(store.key_place(), Some(KeyPlace::Given));
    let path = folder.path().join("auth").join("store");
    let before = fs::read(&path).unwrap();

    let error = write(&with(&folder, given(2), &keyring), "b").unwrap_err();
    assert!(matches!(error, StoreError::WrongKey { .. }), "{error:?}");
    for source in [KeySource::Auto, KeySource::Keyring, KeySource::File] {
        let error = with(&folder, source, &keyring).list().unwrap_err();
        assert!(error.to_string().contains("LINKSPAN_STORE_KEY"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(with(&folder, given(1), &keyring).list().unwrap().len(), 1);
}

#[test]
fn a_text_that_is_not_a_key_is_refused() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    let key = KeySource::Given(Secret::new("password"));
    let error = write(&with(&folder, key, &keyring), "a").unwrap_err();
    assert!(matches!(error, StoreError::BadKey), "{error:?}");
    assert!(!error.to_string().contains("password"), "{error}");
}

#[test]
fn an_item_or_a_file_that_is_not_a_key_is_not_replaced() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    *keyring.item.lock() = Some(Secret::new("of another program"));
    let error = write(&with(&folder, KeySource::Keyring, &keyring), "a").unwrap_err();
    assert!(
        matches!(error, StoreError::KeyringAbsent { .. }),
        "{error:?}"
    );
    assert_eq!(
        *keyring.item.lock(),
        Some(Secret::new("of another program"))
    );

    let path = folder.path().join("auth").join("key");
    fs::write(&path, "half a k").unwrap();
    let error = write(&with(&folder, KeySource::Auto, &keyring), "a").unwrap_err();
    assert!(matches!(error, StoreError::BadKeyFile { .. }), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), b"half a k");
}

#[test]
fn a_key_file_can_be_given_as_a_key() {
    let (folder, keyring) = (folder(), Arc::new(Fake::default()));
    write(&with(&folder, KeySource::File, &keyring), "a").unwrap();
    let text = fs::read_to_string(folder.path().join("auth").join("key")).unwrap();
    let store = with(&folder, KeySource::Given(Secret::new(text)), &keyring);
    assert_eq!(store.list().unwrap().len(), 1);
}
