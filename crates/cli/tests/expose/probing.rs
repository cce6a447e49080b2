//! Detecting the era of a child, also of one that exits on an unknown request.

use crate::setup::{LATEST, assert_works, assert_works_for, expose};

#[test]
fn a_child_that_exits_on_a_probe_serves_both_eras() {
    let exposed = expose(&[], &["--die-on-probe"]);
    assert_works(&exposed.client().session(LATEST));
    assert_works_for(&exposed.client().modern());
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn a_legacy_client_of_a_legacy_child_waits_for_no_probe() {
    let exposed = expose(&["--server-era", "legacy"], &["--die-on-probe"]);
    let session = exposed.client().session(LATEST);
    assert_works(&session);
    assert_works_for(&exposed.client().modern());
    let probes = exposed
        .children
        .seen(|s| s.method() == Some("server/discover"));
    assert!(probes.is_empty(), "{probes:?}");
}
