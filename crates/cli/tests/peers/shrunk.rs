//! Real servers behind `linkspan shrink`, with the official SDKs, in both eras, on stdin and stdout and over HTTP:
//! texts arrive in fewer bytes and can be restored, and nothing else changes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::filesystem::Quay;
use crate::folder_served::Web;
use crate::sdk::{ALL, Era, Language, Sdk};
use crate::{installed, words};

/// A machine that is busy with tests may need longer than half a second.
const PATIENCE: [&str; 2] = ["--time-box", "60000"];

/// `linkspan shrink` of a target, on both of its transports.
fn on_both_ways(target: &[String], mut work: impl FnMut(&[String])) {
    let patience = PATIENCE.map(str::to_owned);
    let start = [installed::linkspan(), "shrink"].map(str::to_owned);
    work(&[&start[..], &patience, target].concat());
    let http = ["shrink", "--http", "--port", "0"].map(str::to_owned);
    let web = Web::of(&[&http[..], &patience, target].concat());
    work(&web.target());
}

fn command(server: &[String]) -> Vec<String> {
    [&["--".to_owned()][..], server].concat()
}

/// The original of a shortened text.
fn taken_back(text: &str) -> String {
    let mut child = Command::new(installed::linkspan())
        .args(["shrink", "decode"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("linkspan starts");
    let mut stdin = child.stdin.take().expect("its input is piped");
    let text = Arc::new(text.to_owned());
    let writing = {
        let text = Arc::clone(&text);
        std::thread::spawn(move || stdin.write_all(text.as_bytes()))
    };
    let output = child.wait_with_output().expect("it ends");
    let _ = writing.join().expect("writing does not panic");
    assert!(output.status.success(), "{text}");
    String::from_utf8(output.stdout).expect("what was text is text again")
}

/// The same bytes, or the same JSON.
fn is_same(one: &str, other: &str) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || (json(one).is_some() && json(one) == json(other))
}

fn text(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {result}"))
}

/// The parts that do not depend on the SDK.
fn plain(result: &Value) -> Value {
    let mut result = result.clone();
    if result["isError"] == false
        && let Some(members) = result.as_object_mut()
    {
        members.remove("isError");
    }
    result
}

fn by_name(list: &Value) -> BTreeMap<String, Value> {
    let tools = list["tools"].as_array().expect("a list of tools");
    let named = |tool: &Value| {
        (
            tool["name"].as_str().unwrap_or_default().to_owned(),
            tool.clone(),
        )
    };
    tools.iter().map(named).collect()
}

/// A folder with enough in it to be worth a shorter form.
fn warehouse() -> Quay {
    let quay = Quay::new();
    for shed in 0..12 {
        let folder = quay.path(&format!("sheds/shed-{shed:02}/goods"));
        fs::create_dir_all(&folder).expect("a folder can be made");
        for crate_ in 0..9 {
            let file = Path::new(&folder).join(format!("crate-{crate_:03}.manifest.txt"));
            fs::write(file, "tea\n").expect("a file can be written");
        }
    }
    let ships: Vec<Value> = (0..60)
        .map(|n| json!({"id": n, "name": format!("ship {n}"), "harbour": "Århus", "arrived": n % 3 == 0, "tons": 100 + n * 7}))
        .collect();
    let ships = serde_json::to_string_pretty(&ships).expect("it is JSON");
    fs::write(quay.path("ships.json"), ships).expect("a file can be written");
    quay
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_files_of_the_filesystem_server_come_shorter_and_can_be_taken_back() {
    let quay = warehouse();
    let at = |tool: &str, name: &str| {
        let path = quay.path(name);
        format!(r#"{{"name":"{tool}","arguments":{{"path":"{path}"}}}}"#)
    };
    let search = format!(
        r#"{{"name":"search_files","arguments":{{"path":"{}","pattern":"**/*.txt"}}}}"#,
        quay.path("")
    );
    let shorter = [
        ("tools/call", at("directory_tree", "")),
        ("tools/call", at("read_text_file", "ships.json")),
        ("tools/call", search),
    ];
    let same = [
        ("tools/call", at("read_text_file", "notice.txt")),
        ("tools/call", at("read_text_file", "no such file")),
        ("tools/call", at("list_directory", "..")),
        ("tools/call", at("no_such_tool", "")),
    ];
    let calls = shorter.iter().chain(&same);
    let calls: Vec<(&str, &str)> = calls
        .map(|(method, params)| (*method, params.as_str()))
        .collect();
    for language in [Language::TypeScript, Language::Python] {
        let era = Era::Legacy;
        let direct = Sdk { language, era }.run(&calls, &quay.words());
        on_both_ways(&command(&quay.words()), |target| {
            for sdk in ALL.into_iter().filter(|sdk| sdk.language == language) {
                let told = sdk.run(&calls, target);
                let pairs = direct.results.iter().zip(&told.results).enumerate();
                for (at, (before, after)) in pairs {
                    let call = calls[at].1;
                    if at >= shorter.len() {
                        assert_eq!(plain(after), plain(before), "{call}");
                        continue;
                    }
                    let (before, after) = (text(before), text(after));
                    assert!(after.len() < before.len() * 7 / 10, "{call}: {after}");
                    assert!(is_same(&taken_back(after), before), "{call}: {after}");
                }
            }
        });
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn what_the_everything_server_says_besides_results_passes_untouched() {
    let calls = [
        ("tools/list", "{}"),
        (
            "tools/call",
            r#"{"name":"echo","arguments":{"message":"ahoy ø “quay” ⛴ \n"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"get-sum","arguments":{"a":"not a number"}}"#,
        ),
        ("tools/call", r#"{"name":"get-tiny-image","arguments":{}}"#),
        (
            "tools/call",
            r#"{"name":"get-structured-content","arguments":{"location":"New York"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"trigger-sampling-request","arguments":{"prompt":"tide?"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"trigger-elicitation-request","arguments":{}}"#,
        ),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        (
            "resources/read",
            r#"{"uri":"demo://resource/static/document/architecture.md"}"#,
        ),
        ("prompts/list", "{}"),
        (
            "prompts/get",
            r#"{"name":"args-prompt","arguments":{"city":"Århus"}}"#,
        ),
    ];
    for language in [Language::TypeScript, Language::Python] {
        let era = Era::Legacy;
        let direct = Sdk { language, era }.run(&calls, &words::everything());
        on_both_ways(&command(&words::everything()), |target| {
            for sdk in ALL.into_iter().filter(|sdk| sdk.language == language) {
                let told = sdk.run(&calls, target);
                let ours = by_name(&told.results[0]);
                for (name, tool) in by_name(&direct.results[0]) {
                    assert_eq!(ours.get(&name), Some(&tool), "{name}");
                }
                let pairs = direct.results.iter().zip(&told.results);
                for (call, (before, after)) in calls.iter().zip(pairs).skip(1) {
                    assert_eq!(plain(after), plain(before), "{call:?}");
                }
                assert_eq!(told.asked_but_for_roots(), direct.asked_but_for_roots());
            }
        });
    }
}

/// Prints what ripgrep would.
const SEARCH: &str = r#"#!/bin/sh
# Searches the hold.
n=0
while [ $n -lt 120 ]; do
  n=$((n + 1))
  echo "/srv/harbour/warehouse/north/hold-$((n / 12))/manifest.rs:$n:    let cargo = load(crate_$n, &mut hold);"
done
"#;

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_hits_of_a_search_script_come_shorter_and_can_be_taken_back() {
    let quay = Quay::new();
    let folder = quay.path("served/tools");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let script = Path::new(&folder).join("search");
    fs::write(&script, SEARCH).expect("a script can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("and run");
    let printed = Command::new("sh").arg(&script).output().expect("sh runs");
    let printed = String::from_utf8(printed.stdout).expect("it prints text");
    let target = [quay.path("served")];
    on_both_ways(&target, |target| {
        for sdk in ALL {
            let told = sdk.run(
                &[("tools/call", r#"{"name":"search","arguments":{}}"#)],
                target,
            );
            let short = text(&told.results[0]);
            assert!(short.len() < printed.len() * 6 / 10, "{short}");
            assert_eq!(taken_back(short).trim_end(), printed.trim_end());
        }
    });
}
