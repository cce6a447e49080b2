//! Tests of the BCP server with a test engine.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use linkspan_local::Workers;
use linkspan_local::testing::Client;
use linkspan_wire::{Message, quote};

use linkspan_bcp::render::Mode;

use crate::engine::{Engine, ReadFn, StopFn, ToolOutput};
use crate::error::{BcpError, Result};
use crate::files::{Output, Roots};
use crate::reader::{BcpServer, BcpServerOptions};
use crate::scratch::Scratch;
use crate::settings::Settings;

/// The content of a file determines the behaviour: `hang` works until it is stopped, `deaf` ignores that,
/// `panic` panics; other files are read.
struct Play {
    /// `deaf` works until the other end of this channel is dropped.
    deaf: Mutex<Receiver<()>>,
}

impl Engine for Play {
    fn read(
        &self,
        mut file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<ToolOutput> {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        match text.as_str() {
            "hang" => {
                while !stop() {
                    std::thread::yield_now();
                }
                Err(BcpError::Stopped)
            }
            "deaf" => {
                let _ = self.deaf.lock().unwrap().recv();
                Ok(text.into())
            }
            "note" => Ok(ToolOutput {
                text,
                note: Some("by the way".to_owned()),
            }),
            "panic" => panic!("as it should"),
            _ => Ok(format!("{text} {mode:?} {budget:?} {}", name.len()).into()),
        }
    }

    fn inspect(&self, _: File, name: &str, _: StopFn<'_>) -> Result<String> {
        Err(BcpError::Argument(format!("{name} is no BCP file")))
    }

    /// Writes the contents of the file that the manifest names.
    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        mut output: Output,
        _: bool,
        _: StopFn<'_>,
    ) -> Result<u64> {
        let named = std::io::read_to_string(manifest).unwrap();
        let content = read(&named, 100)?;
        output.write_all(&content).unwrap();
        output.commit().unwrap();
        Ok(content.len() as u64)
    }

    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String> {
        let said = self.read(file, name, Mode::Xml, None, stop)?;
        Ok(format!("statistics of {}", said.text))
    }
}

fn reader(scratch: &Scratch, limit: Duration, client_roots: bool) -> BcpServer<Play> {
    let (_, deaf) = sync_channel(1);
    reader_of(deaf, scratch, limit, client_roots)
}

fn reader_of(
    deaf: Receiver<()>,
    scratch: &Scratch,
    limit: Duration,
    client_roots: bool,
) -> BcpServer<Play> {
    fs::create_dir_all(scratch.at("in")).unwrap();
    let mut roots = Roots::default();
    roots.add(&scratch.at("in")).unwrap();
    BcpServer::new(Arc::new(BcpServerOptions {
        engine: Play {
            deaf: Mutex::new(deaf),
        },
        roots,
        settings: Settings {
            mode: Mode::Markdown,
            limit: Some(limit),
        },
        client_roots,
        workers: Workers::new(),
        partial: scratch.partial(),
    }))
}

const LONG: Duration = Duration::from_secs(20);
const ROOTS: &str = r#"{"roots":{"listChanged":true}}"#;

fn read(path: impl AsRef<Path>, more: &str) -> String {
    let path = quote(&path.as_ref().display().to_string());
    format!(r#"{{"name":"read_bcp_file","arguments":{{"path":{path}{more}}}}}"#)
}

fn offer(folder: &Path) -> String {
    let uri = quote(&format!("file://{}", folder.display()));
    format!(r#"{{"roots":[{{"uri":{uri}}}]}}"#)
}

/// Waits for a request of the server and answers it.
async fn answer_roots(client: &mut Client, roots: &str) {
    let question = client.envelope().await.msg;
    assert_eq!(question.method(), "roots/list", "{question:?}");
    let id = question.id().unwrap();
    client.send(Message::result(&id, roots)).await;
}

#[tokio::test]
async fn arguments_reach_the_engine() {
    let scratch = Scratch::new();
    scratch.file("in/a.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let usual = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    assert!(usual.contains("text Markdown None"), "{usual}");
    assert!(usual.contains(r#""isError":false"#), "{usual}");
    let more = r#","mode":"minimal","budget":500.0,"other":1"#;
    let other = client.ask(2, "tools/call", &read("a.bcp", more)).await;
    assert!(other.contains("text Minimal Some(500)"), "{other}");
}

#[tokio::test]
async fn a_failed_tool_is_a_result_and_an_unknown_tool_is_a_protocol_error() {
    let scratch = Scratch::new();
    scratch.file("in/a.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let failed = r#"{"name":"inspect_bcp_file","arguments":{"path":"a.bcp"}}"#;
    let failed = client.ask(1, "tools/call", failed).await;
    assert!(failed.contains("a.bcp is no BCP file"), "{failed}");
    assert!(failed.contains(r#""isError":true"#), "{failed}");
    let unknown = client.ask(2, "tools/call", r#"{"name":"x"}"#).await;
    assert!(unknown.contains("-32602"), "{unknown}");
}

#[tokio::test]
async fn a_call_over_its_time_limit_is_stopped_and_answered() {
    let scratch = Scratch::new();
    scratch.file("in/hang.bcp", "hang");
    scratch.file("in/deaf.bcp", "deaf");
    let limit = Duration::from_millis(50);
    let (_until_the_end, deaf) = sync_channel(1);
    let mut client = Client::ready(reader_of(deaf, &scratch, limit, true), "{}").await;
    for name in ["hang.bcp", "deaf.bcp"] {
        let late = client.ask(1, "tools/call", &read(name, "")).await;
        assert!(late.contains("took longer than 0.05 s"), "{late}");
        assert!(late.contains(r#""isError":true"#), "{late}");
    }
}

const ENCODE: &str =
    r#"{"name":"encode_bcp_file","arguments":{"manifest_path":"m.json","output_path":"o.bcp"}}"#;

#[tokio::test]
async fn a_written_file_is_reported_even_if_its_statistics_are_late_or_fail() {
    let scratch = Scratch::new();
    scratch.file("in/m.json", "content");
    let limit = Duration::from_millis(50);
    for content in ["hang", "deaf", "panic"] {
        scratch.file("in/content", content);
        let (_until_the_end, deaf) = sync_channel(1);
        let mut client = Client::ready(reader_of(deaf, &scratch, limit, true), "{}").await;
        let answer = client.ask(1, "tools/call", ENCODE).await;
        assert!(answer.contains("Wrote "), "{content}: {answer}");
        assert!(answer.contains(r#""isError":false"#), "{content}: {answer}");
        assert_eq!(fs::read_to_string(scratch.at("in/o.bcp")).unwrap(), content);
    }
}

#[tokio::test]
async fn a_note_is_a_second_text() {
    let scratch = Scratch::new();
    scratch.file("in/a.bcp", "note");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let answer = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    let both = r#"[{"type":"text","text":"note"},{"type":"text","text":"by the way"}]"#;
    assert!(answer.contains(both), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_client_without_an_answer_to_roots_list_is_refused_within_the_time_limit() {
    let scratch = Scratch::new();
    let path = scratch.file("out/c.bcp", "text");
    for limit in [
        Duration::from_millis(200),
        LONG,
        Duration::from_secs(100_000),
    ] {
        let mut client = Client::ready(reader(&scratch, limit, true), ROOTS).await;
        client.request(1, "tools/call", &read(&path, "")).await;
        assert!(client.next().await.contains("roots/list"));
        let withdrawn = client.next().await;
        assert!(withdrawn.contains("notifications/cancelled"), "{withdrawn}");
        let refused = client.next().await;
        assert!(refused.contains("is outside the folders"), "{refused}");
    }
}

#[tokio::test]
async fn a_panic_of_the_engine_fails_only_its_call() {
    let scratch = Scratch::new();
    scratch.file("in/bug.bcp", "panic");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let answer = client.ask(1, "tools/call", &read("bug.bcp", "")).await;
    assert!(answer.contains(r#""isError":true"#), "{answer}");
}

#[tokio::test]
async fn a_long_call_does_not_block_others_and_can_be_cancelled() {
    let scratch = Scratch::new();
    scratch.file("in/hang.bcp", "hang");
    scratch.file("in/a.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    client.request(1, "tools/call", &read("hang.bcp", "")).await;
    let second = client.ask(2, "tools/call", &read("a.bcp", "")).await;
    assert!(second.contains(r#""id":2"#), "{second}");
    client.cancel(1).await;
    let third = client.ask(3, "tools/call", &read("a.bcp", "")).await;
    assert!(
        third.contains(r#""id":3"#),
        "the first has no answer: {third}"
    );
    client.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_client_is_asked_for_its_roots_once_until_it_notifies_a_change() {
    let scratch = Scratch::new();
    let path = scratch.file("out/c.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), ROOTS).await;
    client.request(1, "tools/call", &read(&path, "")).await;
    answer_roots(&mut client, &offer(&scratch.at("out"))).await;
    let first = client.next().await;
    assert!(first.contains("text Markdown"), "{first}");
    let second = client.ask(2, "tools/call", &read(&path, "")).await;
    assert!(
        second.contains("text Markdown"),
        "not asked again: {second}"
    );

    client.note("notifications/roots/list_changed", "{}").await;
    client.request(3, "tools/call", &read(&path, "")).await;
    answer_roots(&mut client, r#"{"roots":[]}"#).await;
    let third = client.next().await;
    assert!(third.contains("is outside the folders"), "{third}");
}

#[tokio::test]
async fn a_client_that_does_not_notify_changes_is_asked_each_time() {
    let scratch = Scratch::new();
    let path = scratch.file("out/c.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), r#"{"roots":{}}"#).await;
    for id in 1..3 {
        client.request(id, "tools/call", &read(&path, "")).await;
        answer_roots(&mut client, r#"{"roots":[]}"#).await;
        assert!(client.next().await.contains("is outside the folders"));
    }
}

#[tokio::test]
async fn a_client_is_not_asked_if_it_cannot_answer_or_may_not() {
    let scratch = Scratch::new();
    let path = scratch.file("out/c.bcp", "text");
    for (client_roots, capabilities) in [(true, "{}"), (false, ROOTS)] {
        let reader = reader(&scratch, LONG, client_roots);
        let mut client = Client::ready(reader, capabilities).await;
        let answer = client.ask(1, "tools/call", &read(&path, "")).await;
        assert!(answer.contains("is outside the folders"), "{answer}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn files_that_a_manifest_names_are_confined() {
    let scratch = Scratch::new();
    scratch.file("in/m.json", "../out/secret.txt");
    scratch.file("out/secret.txt", "secret");
    let encode = r#"{"name":"encode_bcp_file","arguments":{"manifest_path":"m.json","output_path":"o.bcp","compress":true}}"#;

    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let refused = client.ask(1, "tools/call", encode).await;
    assert!(refused.contains("is outside the folders"), "{refused}");
    assert!(!scratch.at("in/o.bcp").exists());

    let mut client = Client::ready(reader(&scratch, LONG, true), ROOTS).await;
    client.request(1, "tools/call", encode).await;
    answer_roots(&mut client, &offer(&scratch.at("out"))).await;
    let written = client.next().await;
    assert!(written.contains("Wrote 6 bytes"), "{written}");
    assert!(written.contains("statistics of secret"), "{written}");
}

#[tokio::test]
async fn the_error_for_a_large_text_has_a_hint() {
    struct Flood(AtomicUsize);
    impl Engine for Flood {
        fn read(
            &self,
            _: File,
            _: &str,
            _: Mode,
            _: Option<u64>,
            _: StopFn<'_>,
        ) -> Result<ToolOutput> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok("x".repeat((64 << 20) + 1).into())
        }
        fn inspect(&self, _: File, _: &str, _: StopFn<'_>) -> Result<String> {
            Ok(String::new())
        }
        fn encode(&self, _: File, _: ReadFn<'_>, _: Output, _: bool, _: StopFn<'_>) -> Result<u64> {
            Ok(0)
        }
        fn stats(&self, _: File, _: &str, _: StopFn<'_>) -> Result<String> {
            Ok(String::new())
        }
    }
    let scratch = Scratch::new();
    scratch.file("a.bcp", "");
    let mut roots = Roots::default();
    roots.add(&scratch.at(".")).unwrap();
    let reader = BcpServer::new(Arc::new(BcpServerOptions {
        engine: Flood(AtomicUsize::new(0)),
        roots,
        settings: Settings {
            mode: Mode::Xml,
            limit: None,
        },
        client_roots: false,
        workers: Workers::new(),
        partial: scratch.partial(),
    }));
    let mut client = Client::ready(reader, "{}").await;
    let answer = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    assert!(answer.contains("set `budget`"), "{}", answer.len());
}
