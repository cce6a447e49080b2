//! However a stream of lines is cut into pieces, the same lines come out, and memory is bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_fuzz::Stream;
use linkspan_wire::{Limits, Line, Lines};

fuzz_target!(|input: &[u8]| {
    let Some(stream) = Stream::new(input) else {
        return;
    };
    check(&stream, stream.bytes);
    // A line that is too long is searched for its id.
    check(&stream, &[b"{\"x\":\"\",\"id\":7,", stream.bytes].concat());
});

fn check(stream: &Stream<'_>, bytes: &[u8]) {
    let whole = read(&[bytes], stream.limits);
    assert_eq!(read(&stream.cut(bytes), stream.limits), whole);
    for line in whole {
        match line {
            Line::Text(text) => {
                assert!(text.len() <= stream.limits.max_bytes());
                assert!(!text.contains(&b'\n') && !text.trim_ascii().is_empty());
            }
            Line::TooLarge(why) => assert!(why.to_rpc().answer(&why.id()).is_answer()),
        }
    }
}

fn read(pieces: &[&[u8]], limits: Limits) -> Vec<Line> {
    let mut lines = Lines::new(limits);
    let mut out = Vec::new();
    for piece in pieces {
        lines.buffer().extend_from_slice(piece);
        while let Some(line) = lines.next() {
            out.push(line);
        }
        assert!(lines.buffer().len() <= limits.max_bytes());
    }
    out.extend(lines.finish());
    out
}
