//! Tests of encoding and decoding together, on real folders.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use linkspan_bcp::manifest::ManifestOptions;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Document, Limits, Report, Show};
use linkspan_tokens::Vocabulary;

use crate::decode::{DecodeOptions, decode};
use crate::diff::{Diff, Side};
use crate::encode::{EncodeOptions, encode_files, encode_manifest};
use crate::error::{BcpError, Result};
use crate::files::Output;
use crate::listing::Styles;
use crate::pack::{Pack, PackOptions};
use crate::scratch::Scratch;

/// A stream whose bytes the test can read.
#[derive(Clone, Default)]
struct Seen(Rc<RefCell<Vec<u8>>>);

impl Seen {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pack(scratch: &Scratch, input: PathBuf, name: &str, options: &EncodeOptions) -> PathBuf {
    let path = scratch.at(name);
    let mut output = Output::create(&path, &scratch.partial()).unwrap();
    let pack = Pack::new(vec![input], PackOptions::default(), Box::new(io::empty())).unwrap();
    encode_files(pack, options, &mut output, &mut |_| {}).unwrap();
    output.commit().unwrap();
    path
}

fn document(path: &Path) -> Document {
    Document::new(File::open(path).unwrap(), Limits::default())
}

/// Decodes to a stream, and returns its bytes.
fn decoded(scratch: &Scratch, path: &Path) -> (Result<Report>, String) {
    let options = DecodeOptions {
        show: Show::all(Renderer {
            mode: Mode::Minimal,
            compat: false,
        }),
        budget: None,
        vocabulary: Vocabulary::Estimate,
        json: false,
        terminal: false,
    };
    let seen = Seen::default();
    let mut output = Output::stream("stdout", Box::new(seen.clone()), &scratch.partial());
    let report = decode(&document(path), "x.bcp", &options, &mut output, &());
    output.commit().unwrap();
    (report, seen.text())
}

#[test]
fn a_folder_can_be_packed_and_read_again_in_each_compression() {
    let scratch = Scratch::new();
    let text = "a line that is repeated\n".repeat(200);
    scratch.file("in/notes.txt", &text);
    let (mut plain, mut payload) = (EncodeOptions::default(), EncodeOptions::default());
    plain.write.compress_blocks = true;
    payload.compress_payload = true;
    for options in [EncodeOptions::default(), plain, payload] {
        let path = pack(&scratch, scratch.at("in"), "x.bcp", &options);
        let (report, out) = decoded(&scratch, &path);
        assert_eq!(report.unwrap().full, 1, "{options:?}");
        assert!(out.contains(&text), "{options:?}");
        assert_eq!(scratch.names(), ["in", "x.bcp"]);
    }
}

#[test]
fn a_truncated_file_writes_nothing_to_a_stream() {
    let scratch = Scratch::new();
    scratch.file("in/a.txt", "first");
    scratch.file("in/b.txt", "second");
    let mut options = EncodeOptions::default();
    for compress in [false, true] {
        options.compress_payload = compress;
        let path = pack(&scratch, scratch.at("in"), "x.bcp", &options);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let (report, out) = decoded(&scratch, &path);
        assert!(matches!(report, Err(BcpError::File { .. })), "{report:?}");
        assert_eq!(out, "");
    }
}

#[test]
fn a_stopped_encode_leaves_no_file() {
    let scratch = Scratch::new();
    let manifest = br#"{"blocks":[{"type":"document","title":"t","content":"c"}]}"#;
    let mut output = Output::create(&scratch.at("x.bcp"), &scratch.partial()).unwrap();
    let encoded = encode_manifest(
        &manifest[..],
        "the manifest",
        ManifestOptions::default(),
        &EncodeOptions::default(),
        &mut output,
        &mut |_| false,
    );
    assert!(matches!(encoded, Err(BcpError::Stopped)));
    drop(output);
    assert!(scratch.names().is_empty());
}

#[test]
fn each_difference_is_one_line() {
    let scratch = Scratch::new();
    let options = EncodeOptions::default();
    let input = scratch.file("a.txt", "old");
    let old = pack(&scratch, input.clone(), "old.bcp", &options);
    scratch.file("a.txt", "newer");
    let new = pack(&scratch, input, "new.bcp", &options);
    let side = |path: &Path| Side::read("x.bcp", document(path), &()).unwrap();
    assert!(Diff::of(side(&old), side(&old)).is_empty());
    let diff = Diff::of(side(&old), side(&new));
    assert!(!diff.is_empty());
    let mut lines = Vec::new();
    diff.write(Styles::default(), &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.starts_with("~ DOCUMENT title="), "{lines}");
    assert!(lines.ends_with("(3 → 5 bytes)\n"), "{lines}");
}
