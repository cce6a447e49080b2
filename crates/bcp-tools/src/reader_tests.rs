//! Tests of the reader server with an engine that the test plays.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_desk::Workers;
use linkspan_desk::testing::Client;
use linkspan_wire::{Message, quote};

use linkspan_bcp::render::Mode;

use super::engine::{Engine, ReadFn, Said, StopFn};
use super::files::{Output, Roots};
use super::reader::{Reader, Shelf};
use super::settings::Settings;

/// A folder for one test, gone when the test is over.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("linkspan-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a file says is what happens: `hang` works until it is told to stop, `deaf` does not listen to
/// that, `panic` is a bug; everything else is read.
struct Play;

impl Engine for Play {
    fn read(
        &self,
        mut file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<Said, String> {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        match text.as_str() {
            "hang" => {
                while !stop() {
                    std::thread::yield_now();
                }
                Err("stopped".to_owned())
            }
            "deaf" => {
                std::thread::sleep(Duration::from_millis(600));
                Ok(text.into())
            }
            "note" => Ok(Said {
                text,
                note: Some("by the way".to_owned()),
            }),
            "panic" => panic!("as it should"),
            _ => Ok(format!("{text} {mode:?} {budget:?} {}", name.len()).into()),
        }
    }

    fn inspect(&self, _: File, name: &str, _: StopFn<'_>) -> Result<String, String> {
        Err(format!("{name} is no BCP file"))
    }

    /// Writes what the file has that the manifest is the name of.
    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        mut output: Output,
        _: bool,
        _: StopFn<'_>,
    ) -> Result<u64, String> {
        let named = std::io::read_to_string(manifest).unwrap();
        let content = read(&named, 100)?;
        output.write_all(&content).unwrap();
        output.commit().unwrap();
        Ok(content.len() as u64)
    }

    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String, String> {
        let said = self.read(file, name, Mode::Xml, None, stop)?;
        Ok(format!("statistics of {}", said.text))
    }
}

fn reader(scratch: &Scratch, limit: Duration, client_roots: bool) -> Reader<Play> {
    fs::create_dir_all(scratch.path("in")).unwrap();
    let mut roots = Roots::default();
    roots.add(&scratch.path("in")).unwrap();
    Reader::new(Arc::new(Shelf {
        engine: Play,
        roots,
        settings: Settings {
            mode: Mode::Markdown,
            limit: Some(limit),
        },
        client_roots,
        workers: Workers::new(),
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

/// Waits for a question and answers it.
async fn answer_roots(client: &mut Client, roots: &str) {
    let question = client.envelope().await.msg;
    assert_eq!(question.method(), "roots/list", "{question:?}");
    let id = question.id().unwrap();
    client.send(Message::result(&id, roots)).await;
}

#[tokio::test]
async fn arguments_reach_the_engine() {
    let scratch = Scratch::new("arguments");
    scratch.write("in/a.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let usual = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    assert!(usual.contains("text Markdown None"), "{usual}");
    assert!(usual.contains(r#""isError":false"#), "{usual}");
    let more = r#","mode":"minimal","budget":500.0,"other":1"#;
    let other = client.ask(2, "tools/call", &read("a.bcp", more)).await;
    assert!(other.contains("text Minimal Some(500)"), "{other}");
}

#[tokio::test]
async fn what_a_tool_cannot_do_is_its_own_error_and_what_is_no_tool_is_the_protocols() {
    let scratch = Scratch::new("errors");
    scratch.write("in/a.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let failed = r#"{"name":"inspect_bcp_file","arguments":{"path":"a.bcp"}}"#;
    let failed = client.ask(1, "tools/call", failed).await;
    assert!(failed.contains("a.bcp is no BCP file"), "{failed}");
    assert!(failed.contains(r#""isError":true"#), "{failed}");
    let unknown = client.ask(2, "tools/call", r#"{"name":"x"}"#).await;
    assert!(unknown.contains("-32602"), "{unknown}");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_stopped_and_told() {
    let scratch = Scratch::new("late");
    scratch.write("in/hang.bcp", "hang");
    scratch.write("in/deaf.bcp", "deaf");
    let limit = Duration::from_millis(50);
    let mut client = Client::ready(reader(&scratch, limit, true), "{}").await;
    for name in ["hang.bcp", "deaf.bcp"] {
        let late = client.ask(1, "tools/call", &read(name, "")).await;
        assert!(late.contains("took longer than 0.05 s"), "{late}");
        assert!(late.contains(r#""isError":true"#), "{late}");
    }
}

const ENCODE: &str =
    r#"{"name":"encode_bcp_file","arguments":{"manifest_path":"m.json","output_path":"o.bcp"}}"#;

#[tokio::test]
async fn a_file_that_is_written_is_told_even_if_its_statistics_are_late_or_fail() {
    let scratch = Scratch::new("written");
    scratch.write("in/m.json", "content");
    let limit = Duration::from_millis(50);
    for content in ["hang", "deaf", "panic"] {
        scratch.write("in/content", content);
        let mut client = Client::ready(reader(&scratch, limit, true), "{}").await;
        let answer = client.ask(1, "tools/call", ENCODE).await;
        assert!(answer.contains("Wrote "), "{content}: {answer}");
        assert!(answer.contains(r#""isError":false"#), "{content}: {answer}");
        assert_eq!(
            fs::read_to_string(scratch.path("in/o.bcp")).unwrap(),
            content
        );
    }
}

#[tokio::test]
async fn what_has_to_be_known_about_a_text_is_a_second_text() {
    let scratch = Scratch::new("note");
    scratch.write("in/a.bcp", "note");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let answer = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    let both = r#"[{"type":"text","text":"note"},{"type":"text","text":"by the way"}]"#;
    assert!(answer.contains(both), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_say_its_roots_is_refused_before_the_call_is_late() {
    let scratch = Scratch::new("silent");
    let path = scratch.write("out/c.bcp", "text");
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
async fn a_bug_in_the_engine_is_an_error_of_that_call() {
    let scratch = Scratch::new("bug");
    scratch.write("in/bug.bcp", "panic");
    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let answer = client.ask(1, "tools/call", &read("bug.bcp", "")).await;
    assert!(answer.contains(r#""isError":true"#), "{answer}");
}

#[tokio::test]
async fn a_long_call_holds_up_no_other_and_can_be_cancelled() {
    let scratch = Scratch::new("two");
    scratch.write("in/hang.bcp", "hang");
    scratch.write("in/a.bcp", "text");
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
async fn a_client_is_asked_for_its_roots_once_until_it_says_that_they_changed() {
    let scratch = Scratch::new("roots");
    let path = scratch.write("out/c.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), ROOTS).await;
    client.request(1, "tools/call", &read(&path, "")).await;
    answer_roots(&mut client, &offer(&scratch.path("out"))).await;
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
async fn a_client_that_would_not_tell_of_changes_is_asked_each_time() {
    let scratch = Scratch::new("untold");
    let path = scratch.write("out/c.bcp", "text");
    let mut client = Client::ready(reader(&scratch, LONG, true), r#"{"roots":{}}"#).await;
    for id in 1..3 {
        client.request(id, "tools/call", &read(&path, "")).await;
        answer_roots(&mut client, r#"{"roots":[]}"#).await;
        assert!(client.next().await.contains("is outside the folders"));
    }
}

#[tokio::test]
async fn nobody_is_asked_who_cannot_answer_or_may_not() {
    let scratch = Scratch::new("unasked");
    let path = scratch.write("out/c.bcp", "text");
    for (client_roots, capabilities) in [(true, "{}"), (false, ROOTS)] {
        let reader = reader(&scratch, LONG, client_roots);
        let mut client = Client::ready(reader, capabilities).await;
        let answer = client.ask(1, "tools/call", &read(&path, "")).await;
        assert!(answer.contains("is outside the folders"), "{answer}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_manifest_names_is_confined_as_well() {
    let scratch = Scratch::new("manifest");
    scratch.write("in/m.json", "../out/secret.txt");
    scratch.write("out/secret.txt", "secret");
    let encode = r#"{"name":"encode_bcp_file","arguments":{"manifest_path":"m.json","output_path":"o.bcp","compress":true}}"#;

    let mut client = Client::ready(reader(&scratch, LONG, true), "{}").await;
    let refused = client.ask(1, "tools/call", encode).await;
    assert!(refused.contains("is outside the folders"), "{refused}");
    assert!(!scratch.path("in/o.bcp").exists());

    let mut client = Client::ready(reader(&scratch, LONG, true), ROOTS).await;
    client.request(1, "tools/call", encode).await;
    answer_roots(&mut client, &offer(&scratch.path("out"))).await;
    let written = client.next().await;
    assert!(written.contains("Wrote 6 bytes"), "{written}");
    assert!(written.contains("statistics of secret"), "{written}");
}

#[tokio::test]
async fn a_large_text_is_refused_with_what_to_do() {
    struct Flood(AtomicUsize);
    impl Engine for Flood {
        fn read(
            &self,
            _: File,
            _: &str,
            _: Mode,
            _: Option<u64>,
            _: StopFn<'_>,
        ) -> Result<Said, String> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok("x".repeat((64 << 20) + 1).into())
        }
        fn inspect(&self, _: File, _: &str, _: StopFn<'_>) -> Result<String, String> {
            Ok(String::new())
        }
        fn encode(
            &self,
            _: File,
            _: ReadFn<'_>,
            _: Output,
            _: bool,
            _: StopFn<'_>,
        ) -> Result<u64, String> {
            Ok(0)
        }
        fn stats(&self, _: File, _: &str, _: StopFn<'_>) -> Result<String, String> {
            Ok(String::new())
        }
    }
    let scratch = Scratch::new("flood");
    scratch.write("a.bcp", "");
    let mut roots = Roots::default();
    roots.add(&scratch.path(".")).unwrap();
    let desk = Reader::new(Arc::new(Shelf {
        engine: Flood(AtomicUsize::new(0)),
        roots,
        settings: Settings {
            mode: Mode::Xml,
            limit: None,
        },
        client_roots: false,
        workers: Workers::new(),
    }));
    let mut client = Client::ready(desk, "{}").await;
    let answer = client.ask(1, "tools/call", &read("a.bcp", "")).await;
    assert!(answer.contains("set `budget`"), "{}", answer.len());
}
