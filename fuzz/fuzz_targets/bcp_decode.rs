//! Whatever a file says, both readers say the same about it, and what they read is written again and
//! read as the same.
#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use linkspan_bcp::{
    Block, Blocks, Document, Error, Keep, Limits, ReadOptions, Reader, WriteOptions, Writer,
};

/// Small, so that they are reached.
const LIMITS: Limits = Limits {
    block: 64 << 10,
    payload: 256 << 10,
    total: 256 << 10,
    kept: 1 << 20,
    blocks: 1000,
};

fuzz_target!(|input: &[u8]| {
    file(input);
    // Most inputs do not begin as a file does.
    for flags in [0, 1] {
        let mut bytes = vec![b'B', b'C', b'P', 0, 1, 0, flags, 0];
        bytes.extend_from_slice(input);
        file(&bytes);
    }
});

fn file(bytes: &[u8]) {
    let whole = match Blocks::new(bytes, LIMITS) {
        Ok(blocks) => Ok(blocks.collect::<Vec<_>>()),
        Err(e) => Err(e),
    };
    for step in [1, 7, 4096] {
        assert_eq!(
            whole,
            streamed(Drops { bytes, step }),
            "{step} bytes at a time"
        );
    }
    let document = Document::new(bytes.to_vec(), LIMITS);
    assert_eq!(whole, document.reader().and_then(all), "as a file");
    if let Ok(blocks) = whole {
        for dedup in [false, true] {
            again(
                &blocks,
                WriteOptions {
                    compress_blocks: dedup,
                    dedup,
                },
            );
        }
    }
}

type Read1 = Result<Vec<Result<Block<'static>, Error>>, Error>;

fn streamed(input: impl Read) -> Read1 {
    let options = ReadOptions {
        limits: LIMITS,
        keep: Keep::All,
        store: None,
    };
    all(Reader::new(input, options)?)
}

fn all(mut reader: Reader<impl Read>) -> Read1 {
    let mut blocks = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(frame)) => blocks.push(frame.block().map(Block::into_owned)),
            Ok(None) => return Ok(blocks),
            Err(e) => blocks.push(Err(e)),
        }
    }
}

fn again(blocks: &[Result<Block<'_>, Error>], options: WriteOptions) {
    let good: Vec<_> = blocks.iter().flatten().collect();
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for block in &good {
        writer.add(block).unwrap();
    }
    let Ok((bytes, length)) = writer.finish() else {
        assert!(good.is_empty());
        return;
    };
    assert_eq!(bytes.len() as u64, length);
    let read: Result<Vec<_>, _> = Blocks::new(&bytes, Limits::default()).unwrap().collect();
    assert_eq!(read.unwrap().iter().collect::<Vec<_>>(), good);
}

/// A few bytes at a time.
struct Drops<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(self.step);
        self.bytes.read(&mut into[..most])
    }
}
