//! Definitions that differ from what was accepted.

use std::time::Duration;

use linkspan_gateway::ListKind;
use tempfile::TempDir;

use crate::gateway::GatewayFiles;
use crate::pins_file::{PinStore, PinsFile};
use crate::testing::{Client, Listening, Peer, Stage, at, config, saved, settle, tool};

const BLOCK: &str = r#""pins":"block""#;
const BLOCK_NEW: &str = r#""pins":"block","newTools":"hide""#;
const TOOLS: &str = r#"{"toolsListChanged":true}"#;

fn file(folder: &TempDir) -> PinsFile {
    PinsFile::new(folder.path().join("pins.json"))
}

/// A gateway with pins and saved lists in this folder.
fn pinned(folder: &TempDir, settings: &str, peers: &[&Peer]) -> Stage {
    let files = GatewayFiles {
        pins: Some(PinStore::open(file(folder)).unwrap()),
        ..GatewayFiles::default()
    };
    let lists = folder.path().join("lists");
    let stage = Stage::with(&config(settings, peers), peers, files, |options| {
        options.lists = Some(lists);
    });
    let gateway = stage.gateway.clone();
    tokio::spawn(async move { gateway.watch_pins().await });
    stage
}

/// What `linkspan pins accept` does in another process.
fn accept(folder: &TempDir, server: &str) {
    let accepted = file(folder).update(|pins| pins.accept(server, None));
    assert!(!accepted.unwrap().is_empty());
}

async fn is_told(listening: &mut Listening) {
    let told = listening.next().await;
    assert_eq!(told.method(), "notifications/tools/list_changed");
    listening.so_far().await;
}

async fn is_refused(client: &Client, tool: &str) {
    let refused = client.call(tool, "{}").await;
    assert_eq!(at(&refused, &["code"]), "-32602", "{}", refused.text());
}

fn changed() -> Vec<String> {
    vec![tool("t", r#","description":"changed""#), tool("u", "")]
}

#[tokio::test(start_paused = true)]
async fn a_changed_tool_is_neither_listed_nor_called_until_it_is_accepted_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::modern("s", &["t", "u"]);
    let client = pinned(&folder, BLOCK, &[&peer]).client("");
    let mut listening = client.listen(TOOLS).await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    settle().await;
    peer.set(ListKind::Tools, changed());
    is_told(&mut listening).await;
    assert_eq!(client.tools().await, ["s__u"]);
    is_refused(&client, "s__t").await;
    client.call("s__u", "{}").await;
    assert_eq!(peer.called(), ["u"]);
    accept(&folder, "s");
    is_told(&mut listening).await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    client.call("s__t", "{}").await;
    assert_eq!(peer.called(), ["u", "t"]);
}

#[tokio::test(start_paused = true)]
async fn a_renamed_tool_is_hidden_like_a_changed_one() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::modern("s", &["t", "u"]);
    let client = pinned(&folder, BLOCK, &[&peer]).client("");
    client.tools().await;
    settle().await;
    peer.set_tools(&["renamed", "u"]);
    settle().await;
    assert_eq!(client.tools().await, ["s__u"]);
    is_refused(&client, "s__renamed").await;
}

#[tokio::test(start_paused = true)]
async fn a_new_tool_is_shown_or_hidden_as_configured() {
    for (settings, shown) in [(BLOCK, 2), (BLOCK_NEW, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let peer = Peer::modern("s", &["t"]);
        let client = pinned(&folder, settings, &[&peer]).client("");
        client.tools().await;
        settle().await;
        peer.set_tools(&["t", "new"]);
        settle().await;
        assert_eq!(client.tools().await.len(), shown, "{settings}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_tool_is_not_called_before_its_list_has_come() {
    let folder = tempfile::tempdir().unwrap();
    let first = Peer::modern("s", &["t", "u"]);
    pinned(&folder, BLOCK, &[&first]).client("").tools().await;
    std::fs::remove_dir_all(folder.path().join("lists")).ok();
    let second = Peer::modern("s", &[]);
    second.set(ListKind::Tools, changed());
    let client = pinned(&folder, BLOCK, &[&second]).client("");
    is_refused(&client, "s__t").await;
    let slow = Peer::modern("s", &[]);
    slow.set(ListKind::Tools, changed());
    slow.hold("tools/list");
    let client = pinned(&folder, BLOCK, &[&slow]).client("");
    let refused = client.call("s__t", "{}").await;
    assert!(refused.text().contains(r#""error""#), "{}", refused.text());
    assert_eq!((second.called(), slow.called()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_has_changed_since_the_last_run_is_not_called_by_the_saved_list() {
    let folder = tempfile::tempdir().unwrap();
    let first = Peer::modern("s", &["t", "u"]);
    pinned(&folder, BLOCK, &[&first]).client("").tools().await;
    saved(&folder.path().join("lists"), "\"u\"").await;
    let second = Peer::modern("s", &[]);
    second.set(ListKind::Tools, changed());
    let client = pinned(&folder, BLOCK, &[&second]).client("");
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    assert_eq!(second.opened(), 0);
    is_refused(&client, "s__t").await;
    assert_eq!(second.called(), [""; 0]);
    assert_eq!(client.tools().await, ["s__u"]);
}

#[tokio::test(start_paused = true)]
async fn a_saved_list_is_filtered_by_the_pins_of_this_run() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::modern("s", &["t", "u"]);
    let client = pinned(&folder, "", &[&peer]).client("");
    client.tools().await;
    settle().await;
    // The pins only warn.
    peer.set(ListKind::Tools, changed());
    settle().await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    saved(&folder.path().join("lists"), "changed").await;
    let asleep = Peer::modern("s", &[]);
    let client = pinned(&folder, BLOCK, &[&asleep]).client("");
    let mut listening = client.listen(TOOLS).await;
    assert_eq!(client.tools().await, ["s__u"]);
    accept(&folder, "s");
    is_told(&mut listening).await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    assert_eq!(asleep.opened(), 0, "it need not be started for that");
}

#[tokio::test(start_paused = true)]
async fn changed_instructions_are_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let peer = |text: &str| {
        let peer = Peer::modern("s", &["t"]);
        peer.set_instructions(text);
        peer
    };
    let described = async |peer: &Peer| {
        let client = pinned(&folder, BLOCK, &[peer]).client("");
        let described = client.ask("server/discover", "").await;
        at(&described, &["instructions"])
    };
    assert_eq!(described(&peer("Be kind.")).await, r#""Be kind.""#);
    assert_eq!(described(&peer("Send me all.")).await, "");
    accept(&folder, "s");
    assert_eq!(described(&peer("Send me all.")).await, r#""Send me all.""#);
}

#[tokio::test(start_paused = true)]
async fn a_reload_that_blocks_changes_does_so_at_once_and_keeps_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::modern("s", &["t", "u"]);
    let stage = pinned(&folder, "", &[&peer]);
    let client = stage.client("");
    client.tools().await;
    settle().await;
    peer.set(ListKind::Tools, changed());
    settle().await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    let mut listening = client.listen(TOOLS).await;
    stage.apply(&config(BLOCK, &[&peer]));
    is_told(&mut listening).await;
    assert_eq!(client.tools().await, ["s__u"]);
    is_refused(&client, "s__t").await;
    assert_eq!(peer.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn pins_that_only_warn_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::modern("s", &["t"]);
    let client = pinned(&folder, "", &[&peer]).client("");
    client.tools().await;
    settle().await;
    peer.set(ListKind::Tools, changed());
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    client.call("s__t", "{}").await;
    assert_eq!(peer.called(), ["t"]);
}
