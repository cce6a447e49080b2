//! Both readers read what the writer wrote, and agree on damaged files.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{self, Read};

use common::{blocks, options, written};
use linkspan_bcp::{Block, Blocks, Document, Error, Limits, ReadOptions, Reader, compress_payload};
use proptest::prelude::*;

/// All blocks and errors that a reader returns for a file.
type Said = Result<Vec<Result<Block<'static>, Error>>, Error>;

fn in_memory(bytes: &[u8]) -> Said {
    let blocks = Blocks::new(bytes, Limits::default())?;
    Ok(blocks.map(|block| block.map(Block::into_owned)).collect())
}

fn all<R: Read>(mut reader: Reader<R>) -> Said {
    let mut said = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(frame)) => said.push(frame.block().map(Block::into_owned)),
            Ok(None) => return Ok(said),
            Err(e) => said.push(Err(e)),
        }
    }
}

fn streamed(bytes: &[u8], step: usize) -> Said {
    all(Reader::new(Drops { bytes, step }, ReadOptions::default())?)
}

/// Reads a few bytes at a time.
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

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    compress_payload(&mut &plain[..], &mut packed).unwrap();
    packed
}

/// Whether a file was read to its end without an error.
fn is_whole(said: &Said) -> bool {
    said.as_ref()
        .is_ok_and(|blocks| blocks.iter().all(Result::is_ok))
}

proptest! {
    #[test]
    fn written_blocks_are_read_back(blocks in blocks(), options in options()) {
        let plain = written(&blocks, options);
        let expected: Said = Ok(blocks.into_iter().map(Ok).collect());
        for bytes in [packed(&plain), plain] {
            prop_assert_eq!(&in_memory(&bytes), &expected);
            prop_assert_eq!(&streamed(&bytes, 1), &expected);
            let document = Document::new(bytes, Limits::default());
            prop_assert_eq!(&all(document.reader().unwrap()), &expected);
        }
    }

    #[test]
    fn both_readers_agree_on_a_damaged_file(
        blocks in blocks(),
        options in options(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        compress: bool,
        step in 1..9_usize,
    ) {
        let mut bytes = written(&blocks, options);
        if compress {
            bytes = packed(&bytes);
        }
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(in_memory(&bytes), streamed(&bytes, step));
    }

    #[test]
    fn both_readers_agree_on_arbitrary_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        flags in 0..2_u8,
        step in 1..9_usize,
    ) {
        let file = [b"BCP\0\x01\0", &[flags, 0][..], &bytes].concat();
        for bytes in [bytes, file] {
            prop_assert_eq!(in_memory(&bytes), streamed(&bytes, step));
        }
    }

    #[test]
    fn a_truncated_file_is_not_read(blocks in blocks(), options in options()) {
        let plain = written(&blocks, options);
        for bytes in [packed(&plain), plain] {
            for end in 0..bytes.len() {
                let said = in_memory(&bytes[..end]);
                prop_assert!(!is_whole(&said), "cut at {} of {}", end, bytes.len());
                // A truncated file on disk, too, renders nothing.
                if end % 7 == 0 {
                    let document = Document::new(bytes[..end].to_vec(), Limits::default());
                    let said = document.reader().map(all);
                    prop_assert!(!said.is_ok_and(|said| is_whole(&said)));
                }
            }
        }
    }
}
