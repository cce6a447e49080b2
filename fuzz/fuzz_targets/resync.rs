//! Whatever lines a server writes, the messages that stand alone on a line come out, in order.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use linkspan_wire::{Frame, Limits, Resync};

const LIMITS: usize = 4096;

fuzz_target!(|input: &[u8]| {
    let limits = Limits::new(LIMITS);
    let mut resync = Resync::new(limits);
    for line in input.split(|byte| *byte == b'\n') {
        let line = Bytes::copy_from_slice(line);
        let alone = match Frame::parse(line.clone(), &limits) {
            Frame::One(message) => Some(message.text()),
            _ => None,
        };
        resync.push(line);
        let mut read = Vec::new();
        while let Some(frame) = resync.next() {
            match frame {
                Frame::One(message) => read.push(message.text()),
                Frame::Blank => panic!("blank frames are not given"),
                Frame::Batch(_) => {}
                Frame::Other { why, .. } => {
                    assert!(why.to_rpc().answer(&why.id()).is_answer());
                }
            }
        }
        if let Some(alone) = alone {
            assert_eq!(read, [alone]);
            assert!(!resync.is_waiting());
        }
    }
    let _ = resync.give_up();
    assert!(!resync.is_waiting());
});
