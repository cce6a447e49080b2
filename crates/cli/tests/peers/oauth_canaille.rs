//! Sign-in at a second authorization server, canaille, which is written in Python on Authlib.

use std::process::Command;

use serde_json::json;

use crate::installed;
use crate::machine::{Machine, text};
use crate::oauth::assert_echoes;
use crate::script::Script;

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_person_signs_in_at_canaille() {
    let mut canaille = Command::new(installed::python());
    canaille.arg(installed::script("canaille_as.py"));
    let issuer = Script::start("canaille", canaille);
    let server = Script::node("protected.mjs", &["--opaque", &issuer.url], &[]);
    let machine = Machine::new();
    let bridge = machine.connect(&server.url, &[]);
    assert_echoes(&bridge, "through another door");
    let who = bridge.ask("\"who\"", "whoami", &json!({}));
    assert_eq!(text(&who), "ada");
    // A second process needs no sign-in.
    assert_echoes(&machine.connect(&server.url, &[]), "again");
    assert_eq!(machine.opened().len(), 1);
}
