//! Secret Service (Linux, BSD), Keychain (macOS), Credential Manager (Windows).

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
use keyring_core::api::CredentialStoreApi as _;
use keyring_core::{Entry, Error};
#[cfg(windows)]
use windows_native_keyring_store::Store;
#[cfg(all(unix, not(target_os = "macos")))]
use zbus_secret_service_keyring_store::Store;

use super::Keyring;
use crate::Secret;

/// The item is the same for all state folders of a user: one item, however many stores there are.
const SERVICE: &str = "linkspan";
const USER: &str = "credential store key";

pub(super) struct OsKeyring;

impl Keyring for OsKeyring {
    fn load(&self) -> Result<Option<Secret>, String> {
        match entry()?.get_password() {
            Ok(text) => Ok(Some(Secret::new(text))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(describe(&error)),
        }
    }

    fn save(&self, key: &Secret) -> Result<(), String> {
        entry()?
            .set_password(key.expose())
            .map_err(|error| describe(&error))
    }
}

fn entry() -> Result<Entry, String> {
    let store = Store::new().map_err(|error| describe(&error))?;
    store
        .build(SERVICE, USER, None)
        .map_err(|error| describe(&error))
}

/// Some errors carry what the item holds, and show it.
fn describe(error: &Error) -> String {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "its item is not a text".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{KeyPlace, KeySource, Store, StoreOptions, sample};

    #[test]
    #[ignore = "needs a keyring: `cargo xtask keyring`"]
    fn the_keys_of_all_stores_are_one_item_of_the_keyring() {
        let key = sample::key("a");
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let open = |folder: &tempfile::TempDir| {
            let options = StoreOptions {
                folder: folder.path().join("auth"),
                key: KeySource::Auto,
            };
            Store::open(options).unwrap()
        };
        let mut kept = Vec::new();
        for folder in &folders {
            let store = open(folder);
            store.write(&key, 0, sample::record("token")).unwrap();
            assert_eq!(store.key_place(), Some(KeyPlace::Keyring));
            assert_eq!(store.keyring_problem(), None);
            assert!(!folder.path().join("auth/key").exists());
            let record = open(folder).read(&key).unwrap().unwrap();
            assert_eq!(sample::token(&record), "token");
            kept.push(OsKeyring.load().unwrap().unwrap().expose().to_owned());
        }
        assert_eq!(
            kept[0], kept[1],
            "the second store uses the item of the first"
        );
    }
}
