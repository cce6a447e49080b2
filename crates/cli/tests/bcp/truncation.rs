//! A truncated file is never read as a complete one, wherever it was cut.
//!
//! The tests of the codec try every offset; these tests try some of them through the binary.

use crate::files::{Scratch, bytes};
use crate::run::{Run, bcp};

/// Offsets around the header, every few bytes of the rest, and all of the last ones.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    (0..length).filter(move |at| *at < 10 || at % 23 == 0 || at + 6 > length)
}

#[test]
fn a_file_with_every_type_of_block_is_invalid_wherever_it_is_cut() {
    let whole = bytes("api", "20_all.bcp");
    let scratch = Scratch::new();
    assert!(cuts(whole.len()).count() >= 35);
    for at in cuts(whole.len()) {
        let file = scratch.write("cut.bcp", &whole[..at]);
        let ran = bcp(&["validate", &file]);
        ran.failed(1);
        assert!(ran.text().contains("✗ Error: "), "cut at {at}: {ran:?}");
    }
}

#[test]
fn a_truncated_pipe_is_invalid_too() {
    let whole = bytes("api", "20_all.bcp");
    for at in cuts(whole.len()).step_by(4) {
        let ran = Run::new(&["validate", "-"]).stdin(&whole[..at]).end();
        ran.failed(1);
    }
    Run::new(&["validate", "-"]).stdin(whole).end().well();
}

#[test]
fn a_truncated_compressed_file_is_invalid_too() {
    let scratch = Scratch::new();
    for name in ["14_block_zstd", "15_payload_zstd"] {
        let whole = bytes("api", &format!("{name}.bcp"));
        for at in 0..whole.len() {
            let file = scratch.write("cut.bcp", &whole[..at]);
            bcp(&["validate", &file]).failed(1);
        }
    }
}

#[test]
fn a_truncated_file_is_never_shown_as_complete() {
    let whole = bytes("api", "20_all.bcp");
    let scratch = Scratch::new();
    let file = scratch.write("cut.bcp", &whole[..whole.len() - 30]);
    let ran = bcp(&["decode", &file, "--mode", "minimal"]);
    ran.failed(1);
    let ran = bcp(&["decode", &file, "--mode", "minimal", "--compat"]);
    ran.failed(1);
    assert_eq!(ran.text(), "");
}
