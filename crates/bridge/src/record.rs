//! A transcript of both directions, one JSON object a line.

mod line_writer;
mod mask;
mod output_file;

use std::time::Instant;

use bytes::Bytes;
use jiff::Timestamp;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{escape_json, one_line};

pub use self::line_writer::LineWriter;
pub use self::mask::{Mask, masked_url, masked_words};
pub use self::output_file::OutputFile;

/// Bytes that may wait for the disk.
const QUEUE_BYTES: usize = 64 << 20;

/// The layer that writes the transcript, on the client's side of all other layers.
pub(crate) struct Record(LineWriter<Entry>);

struct Entry {
    time: Timestamp,
    way: Way,
    text: Bytes,
}

impl Record {
    /// Secrets are masked in the thread that writes.
    pub(crate) fn start(file: OutputFile, mask: Mask) -> Self {
        let write = move |out: &mut dyn std::io::Write, entry: Entry, missed| {
            let time = entry.time;
            if missed > 0 {
                writeln!(out, r#"{{"time":"{time:.3}","missed":{missed}}}"#)?;
            }
            let direction = match entry.way {
                Way::ToBack => "client->server",
                Way::ToFront => "server->client",
            };
            let line = one_line(entry.text);
            let line = String::from_utf8_lossy(&line);
            let text = mask.apply(&line);
            let text = escape_json(&text);
            writeln!(
                out,
                r#"{{"time":"{time:.3}","direction":"{direction}","message":{text}}}"#
            )
        };
        Self(LineWriter::start(file, "transcript", QUEUE_BYTES, write))
    }
}

impl Layer for Record {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        let text = envelope.msg.to_bytes();
        let size = text.len();
        let entry = Entry {
            time: Timestamp::now(),
            way,
            text,
        };
        self.0.push(entry, size);
        Verdict::Pass(envelope)
    }
}
