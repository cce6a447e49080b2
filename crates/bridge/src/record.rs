//! A transcript of both directions, one JSON object a line.

mod line_writer;
mod mask;
mod output_file;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use jiff::Timestamp;
use linkspan_auth_io::Prompt;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{escape_json, one_line};
use tokio::sync::watch;

pub use self::line_writer::{LineWriter, Sink};
pub use self::mask::{Mask, masked_url, masked_words};
pub use self::output_file::OutputFile;

/// Bytes that may wait for the disk.
const QUEUE_BYTES: usize = 64 << 20;

/// The layer that writes the transcript, on the client's side of all other layers.
pub(crate) struct Record {
    writer: LineWriter<Entry>,
    /// What a person is asked to do, which a message may repeat.
    prompts: Option<watch::Receiver<Option<Prompt>>>,
    /// The secrets of all prompts so far.
    shown: Arc<Vec<String>>,
}

struct Entry {
    time: Timestamp,
    way: Way,
    text: Bytes,
    /// The secrets of prompts that it may have. Each entry has all of them: one before it may have been left out.
    shown: Arc<Vec<String>>,
}

impl Record {
    /// Secrets are masked in the thread that writes: those of the mask, and those of what a person is asked to do.
    pub(crate) fn start(
        file: OutputFile,
        mut mask: Mask,
        mut prompts: Option<watch::Receiver<Option<Prompt>>>,
    ) -> Self {
        if let Some(prompts) = &mut prompts {
            // There may be a prompt already.
            prompts.mark_changed();
        }
        let mut learned = 0;
        let write = move |out: &mut dyn std::io::Write, entry: Entry, missed| {
            let time = entry.time;
            mask.learn(&entry.shown[learned..]);
            learned = entry.shown.len();
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
        Self {
            writer: LineWriter::start(file, "transcript", QUEUE_BYTES, write),
            prompts,
            shown: Arc::default(),
        }
    }

    /// Looks at a prompt that is new.
    fn learn(&mut self) {
        let Some(prompts) = &mut self.prompts else {
            return;
        };
        if prompts.has_changed().unwrap_or_default()
            && let Some(prompt) = &*prompts.borrow_and_update()
        {
            Arc::make_mut(&mut self.shown).extend(secrets_of(prompt));
        }
    }
}

impl Layer for Record {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        self.learn();
        let text = envelope.msg.to_bytes();
        let size = text.len();
        let entry = Entry {
            time: Timestamp::now(),
            way,
            text,
            shown: Arc::clone(&self.shown),
        };
        self.writer.push(entry, size);
        Verdict::Pass(envelope)
    }
}

/// What a sign-in is protected by: the page as a whole, the values in its query (`state`, `code_challenge`), and the
/// code that a user types.
fn secrets_of(prompt: &Prompt) -> Vec<String> {
    let query = prompt.url.split_once('?').map_or("", |(_, query)| query);
    let values = query.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        matches!(name, "state" | "code_challenge" | "user_code").then(|| value.to_owned())
    });
    let all = values.chain([prompt.url.clone()]);
    all.chain(prompt.user_code.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Message;

    #[test]
    fn the_page_and_the_code_of_a_sign_in_are_not_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript");
        let url = "https://as.example/authorize?state=st-4711&code_challenge=ch-0815&scope=read";
        let prompts = watch::Sender::new(None);
        let file = OutputFile::open(&path).unwrap();
        let mut record = Record::start(file, Mask::new(Vec::new()), Some(prompts.subscribe()));
        prompts.send_replace(Some(Prompt {
            server: "https://server.example/mcp".to_owned(),
            url: url.to_owned(),
            user_code: Some("WDJB-MJHT".to_owned()),
            opened: false,
        }));
        let mut say = |text: &str| {
            let params = format!(r#"{{"text":"{text}"}}"#);
            let note = Message::notification("notifications/x", Some(&params));
            record.on(Way::ToFront, Envelope::new(note), Instant::now());
        };
        say(&format!("open {url} and enter the code WDJB-MJHT"));
        // Later, when another prompt or none is shown.
        prompts.send_replace(None);
        say(&format!("{url} or st-4711"));
        drop(record);
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written.lines().count(), 2, "{written}");
        for secret in ["st-4711", "ch-0815", "WDJB"] {
            assert!(!written.contains(secret), "{written}");
        }
    }
}
