//! Whatever a manifest says, it is read or refused, wherever reads end; and what it became comes back
//! from a file and from a manifest of our own.
#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use linkspan_bcp::manifest::{Manifest, ManifestOptions, write_block};
use linkspan_bcp::{Block, Blocks, Limits, Priority, WriteOptions, Writer};

fuzz_target!(|input: &[u8]| {
    manifest(input);
    // Most inputs are no manifest; but they may be a block, or a part of one.
    for (before, after) in [
        (&br#"{"blocks":["#[..], &b"]}"[..]),
        (
            br#"{"blocks":[{"type":"code","lang":"rust","path":""#,
            br#""}]}"#,
        ),
    ] {
        manifest(&[before, input, after].concat());
    }
});

type Items = Vec<(Block<'static>, Option<Priority>)>;

fn manifest(text: &[u8]) {
    let whole = read(text);
    assert_eq!(whole, read(Drops(text)));
    let Ok(items) = whole else {
        return;
    };
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    let mut json = b"{\"blocks\":[".to_vec();
    for (i, (block, priority)) in items.iter().enumerate() {
        if writer.add(block).is_err() {
            // Too large for a file.
            return;
        }
        json.extend_from_slice(if i == 0 { b"" } else { b"," });
        write_block(block, *priority, &mut json).unwrap();
    }
    json.extend_from_slice(b"]}");
    assert_eq!(read(json.as_slice()).unwrap(), items);
    if let Ok((bytes, _)) = writer.finish() {
        let blocks: Result<Vec<_>, _> = Blocks::new(&bytes, Limits::default()).unwrap().collect();
        let blocks = blocks.unwrap();
        assert!(blocks.iter().eq(items.iter().map(|(block, _)| block)));
    }
}

fn read(text: impl Read) -> Result<Items, String> {
    let options = ManifestOptions {
        compat: false,
        files: Box::new(|name, _| Ok(name.as_bytes().to_vec())),
    };
    let mut manifest = Manifest::new(text, options);
    let mut items = Vec::new();
    loop {
        match manifest.next() {
            Ok(Some(item)) => items.push((item.block.into_owned(), item.priority)),
            Ok(None) => return Ok(items),
            Err(e) => return Err(e.to_string()),
        }
    }
}

/// A byte at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(1);
        self.0.read(&mut into[..most])
    }
}
