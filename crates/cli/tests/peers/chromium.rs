//! Sign-in with a real browser on the login form of a real authorization server.

use crate::machine::Machine;
use crate::oauth::{Realm, assert_echoes};

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs, and Chromium"]
fn a_person_signs_in_with_chromium() {
    let chromium = std::env::var("CHROMIUM").expect("CHROMIUM names the browser");
    let realm = Realm::start(&[]);
    let machine = Machine::with_browser("chromium_login.mjs").env("CHROMIUM", &chromium);
    assert_echoes(&machine.connect(realm.url(), &[]), "clicked");
    realm.assert_logins(&machine, 1);
}
