//! One line of the audit log for each call, whatever becomes of it.

use std::path::PathBuf;

use linkspan_gateway::ListKind;
use linkspan_wire::Json;

use crate::audit_file::{AuditFile, verify_file};
use crate::gateway::GatewayFiles;
use crate::pins_file::{PinStore, PinsFile};
use crate::testing::{Peer, Stage, at, call, config, settle, tool};

struct Audited {
    stage: Stage,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn audited(settings: &str, peers: &[&Peer], keeps_arguments: bool) -> Audited {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let files = GatewayFiles {
        pins: Some(PinStore::open(PinsFile::new(folder.path().join("pins.json"))).unwrap()),
        audit: Some(AuditFile::open(&path).unwrap()),
        audit_arguments: keeps_arguments,
    };
    let stage = Stage::with(&config(settings, peers), peers, files, |_| ());
    Audited {
        stage,
        path,
        _folder: folder,
    }
}

impl Audited {
    /// The log, once it is whole.
    async fn text(self) -> String {
        let Self { stage, path, .. } = self;
        stage.gateway.backend().close().await;
        drop(stage);
        settle().await;
        let count = verify_file(&path).expect("the chain is whole").lines;
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count() as u64, count);
        text
    }

    /// These members of all lines.
    async fn lines(self, members: &[&str]) -> Vec<String> {
        let text = self.text().await;
        let of_line = |line: &str| {
            let json = Json::parse(line).unwrap();
            let of = |member: &&str| {
                let value = json.get(member);
                value.map_or("-".to_owned(), |value| value.text().replace('"', ""))
            };
            members.iter().map(of).collect::<Vec<_>>().join(" ")
        };
        text.lines().map(of_line).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_has_one_line_with_its_decision_and_its_end() {
    let peer = Peer::modern(
        "s",
        &["t", "gate", "fail", "refuse", "die", "denied", "asked"],
    );
    let settings = r#""timeout":5,"views":{"v":{"deny":["s__t"]}},"rules":[
        {"tool":"s__denied","then":"deny"},
        {"tool":"s__asked","then":"confirm"},
        {"tool":"s__limited","then":{"limit":{"perHour":1}}}
    ]"#;
    let on = audited(settings, &[&peer], false);
    let client = on.stage.client("").asking();
    peer.hold("never");
    client.tools().await;
    for tool in ["t", "fail", "refuse", "denied"] {
        client.call(&format!("s__{tool}"), "{}").await;
    }
    let asked = client.call("s__asked", "{}").await;
    let declined = format!(
        r#"{},"inputResponses":{{"linkspan_confirm":{{"action":"decline"}}}},"requestState":{}"#,
        call("s__asked", "{}"),
        at(&asked, &["requestState"])
    );
    client.ask("tools/call", &declined).await;
    for tool in ["limited", "limited", "die"] {
        client.call(&format!("s__{tool}"), "{}").await;
    }
    client.in_view("v").call("s__t", "{}").await;
    client.call("s__gate", r#"{"name":"never"}"#).await;
    client.call("unknown", "{}").await;
    let params = call("s__gate", r#"{"name":"never"}"#);
    let begun = client.begin("tools/call", &params).await;
    settle().await;
    drop(begun);
    client.ask("prompts/get", r#""name":"s__p""#).await;
    client.ask("resources/read", r#""uri":"x://1""#).await;
    drop(client);
    let lines = on.lines(&["server", "tool", "decision", "outcome"]).await;
    assert_eq!(
        lines,
        [
            "s t allow ok",
            "s fail allow toolError",
            "s refuse allow error",
            "s denied deny refused",
            "s asked confirm asked",
            "s asked confirm refused",
            "s limited limit ok",
            "s limited limit refused",
            "s die allow error",
            "s t view refused",
            "s gate allow timedOut",
            "- unknown none error",
            "s gate allow cancelled",
            "s - allow ok",
            "s - allow ok",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_it_waits_for_its_turn_has_a_line() {
    let peer = Peer::modern("s", &["t", "gate"]);
    let on = audited("", &[&peer], false);
    peer.hold("*");
    let client = on.stage.client("");
    let call = tokio::spawn(async move { client.call("s__t", "{}").await });
    settle().await;
    call.abort();
    settle().await;
    let lines = on.lines(&["server", "tool", "outcome"]).await;
    assert_eq!(lines, ["s t cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn arguments_are_in_the_log_on_request_only() {
    for keeps in [false, true] {
        let peer = Peer::modern("s", &["t"]);
        let on = audited("", &[&peer], keeps);
        let client = on.stage.client("");
        client.call("s__t", r#"{"password":"hunter2"}"#).await;
        drop(client);
        let text = on.text().await;
        assert_eq!(text.contains("hunter2"), keeps, "{text}");
        assert!(text.contains("password"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_definition_has_a_line() {
    let peer = Peer::modern("s", &["t"]);
    let on = audited(r#""pins":"block""#, &[&peer], false);
    let client = on.stage.client("");
    client.tools().await;
    settle().await;
    peer.set(ListKind::Tools, vec![tool("t", r#","description":"x""#)]);
    settle().await;
    client.tools().await;
    client.call("s__t", "{}").await;
    drop(client);
    let lines = on.lines(&["event", "server", "decision", "outcome"]).await;
    assert_eq!(lines, ["pin s - -", "call s pins refused"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_sender_without_a_view_has_a_line() {
    let peer = Peer::modern("s", &["t"]);
    let settings = r#""views":{"dev":{"keys":"dev"}}"#;
    let on = audited(settings, &[&peer], false);
    let client = on.stage.client("");
    client.call("s__t", "{}").await;
    client.in_view("dev").call("s__t", "{}").await;
    drop(client);
    let lines = on.lines(&["view", "tool", "decision", "outcome"]).await;
    assert_eq!(lines, ["- s__t view refused", "dev s__t view refused"]);
}
