//! Every file of the reference implementation is read, written again, and rendered identically.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{
    Block, Blocks, Document, Limits, Show, Tokenizer, Verbosity, WriteOptions, Writer,
    compress_payload,
};

fn folder(name: &str) -> PathBuf {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors");
    PathBuf::from(vectors).join(name)
}

/// The name and content of each file of a folder with this suffix.
fn files(name: &str, ending: &str) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
            Some((name, fs::read(path).unwrap()))
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn blocks(bytes: &[u8]) -> Vec<Block<'_>> {
    let blocks = Blocks::new(bytes, Limits::default()).unwrap();
    blocks.map(Result::unwrap).collect()
}

fn written(blocks: &[Block<'_>], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for block in blocks {
        writer.add(block).unwrap();
    }
    writer.finish().unwrap().0
}

#[test]
fn files_of_the_reference_implementation_are_written_again_byte_for_byte() {
    for (name, bytes) in files("api", ".bcp") {
        if name == "12_reference" {
            // No file contains the referenced body.
            continue;
        }
        let options = WriteOptions {
            compress_blocks: name.contains("block_zstd"),
            dedup: name.contains("dedup"),
        };
        let mut again = written(&blocks(&bytes), options);
        if name.contains("payload") {
            let mut packed = Vec::new();
            compress_payload(&mut again.as_slice(), &mut packed).unwrap();
            if packed.len() < again.len() {
                again = packed;
            }
        }
        assert_eq!(again, bytes, "{name}");
    }
}

#[test]
fn a_body_in_a_store_is_written_as_its_hash() {
    let read = |name: &str| fs::read(folder("api").join(name)).unwrap();
    let (inline, reference) = (read("02_conversation.bcp"), read("12_reference.bcp"));
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    let body = writer.add_reference(&blocks(&inline)[0]).unwrap().to_vec();
    assert_eq!(writer.finish().unwrap().0, reference);
    assert_eq!(linkspan_bcp::hash(&body), reference[11..43]);
}

struct Bytes;

impl Tokenizer for Bytes {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

#[test]
fn renderings_of_the_reference_implementation_are_reproduced_byte_for_byte() {
    let mut seen = 0;
    for (name, expected) in files("render", ".txt") {
        let mut parts = name.split('.');
        let (file, mode) = (parts.next().unwrap(), parts.next().unwrap());
        let Some(mode) = Mode::parse(mode) else {
            // inspect, stats and validate are tested in the command-line tests.
            continue;
        };
        if expected.is_empty() {
            // The reference implementation failed here: it cannot resolve its own references.
            continue;
        }
        let renderer = Renderer { mode, compat: true };
        let mut show = Show::all(renderer);
        let bytes = fs::read(folder("api").join(format!("{file}.bcp"))).unwrap();
        let document = Document::new(bytes, Limits::default());
        let how = parts.next().unwrap_or_default();
        let mut text = if let Some(budget) = how.strip_prefix('b') {
            let budget = budget.parse().unwrap();
            let shown = document.show_within(&show, budget, &Bytes, &mut |_| true);
            shown.unwrap().0.into_bytes()
        } else {
            if how == "summary" {
                show.verbosity = Verbosity::Summary;
            }
            let mut out = Vec::new();
            document.show(&show, &mut out, &mut |_| true).unwrap();
            out
        };
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        assert_eq!(
            String::from_utf8_lossy(&text),
            String::from_utf8_lossy(&expected),
            "{name}"
        );
        seen += 1;
    }
    assert!(seen > 70, "only {seen}");
}
