//! However a stream of events is cut into pieces, the same items come out, and memory is bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_fuzz::Stream;
use linkspan_wire::{Limits, SseItem, SseReader};

fuzz_target!(|input: &[u8]| {
    let Some(stream) = Stream::new(input) else {
        return;
    };
    check(&stream, stream.bytes);
    // An event that is too large is searched for the id of its message.
    check(&stream, &[b"data: {\"id\":7,", stream.bytes].concat());
});

fn check(stream: &Stream<'_>, bytes: &[u8]) {
    let whole = read(&[bytes], stream.limits);
    assert_eq!(read(&stream.cut(bytes), stream.limits), whole);
    for item in whole {
        match item {
            SseItem::Event(event) => {
                let fields = [event.name, event.data, event.id];
                let size: usize = fields.iter().flatten().map(|field| field.len()).sum();
                assert!(size <= stream.limits.max_bytes(), "{size} bytes");
            }
            SseItem::TooLarge { why, .. } => assert!(why.to_rpc().answer(&why.id()).is_answer()),
        }
    }
}

fn read(pieces: &[&[u8]], limits: Limits) -> Vec<SseItem> {
    let mut reader = SseReader::new(limits);
    let mut items = Vec::new();
    for piece in pieces {
        reader.push(piece);
        while let Some(item) = reader.next() {
            items.push(item);
        }
        // The name of a field may stand beyond the limit.
        assert!(reader.pending() <= limits.max_bytes() + "data:".len());
    }
    items
}
