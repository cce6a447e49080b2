//! The embedded SDKs, as tools use them.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::text;

fn bash(body: &str) -> Folder {
    let folder = Folder::new();
    folder.script(
        "tools/it.sh",
        format!(
            "#!/usr/bin/env bash\nset -euo pipefail\nsource \"$MCP_SDK/tool-sdk.sh\"\n{body}\n"
        ),
    );
    folder
}

#[test]
fn bash_tools_read_their_arguments() {
    let folder = bash(
        r#"mcp_emit_text "$(mcp_args_get '.ship.name')|$(mcp_args_get '.none' --default 'deflt')|$(mcp_args_require '.n')|$(mcp_args_raw)""#,
    );
    let arguments = json!({"ship": {"name": "Ada \"II\""}, "n": 7});
    let said = folder.serve().text("it", &arguments);
    let (shown, raw) = said.rsplit_once('|').expect("the arguments come last");
    assert_eq!(shown, "Ada \"II\"|deflt|7");
    let raw: Value = serde_json::from_str(raw).expect("it is JSON");
    assert_eq!(raw, arguments);
}

#[test]
fn bash_tools_emit_text_and_json() {
    let folder = bash(r#"mcp_emit_json "$(mcp_json_obj name 'a "quoted" \ value' n 1)""#);
    let result = folder.serve().tool("it", &json!({}));
    assert_eq!(result["structuredContent"]["name"], "a \"quoted\" \\ value");
}

#[test]
fn bash_tools_report_progress_and_log() {
    let folder = bash(
        r#"mcp_progress 50 "half way"; mcp_log info pier '{"a":1}'; mcp_log_warn pier "plain"; mcp_emit_text done"#,
    );
    let server = folder.serve();
    let id = server.begin_with_token("it", &json!({}), &json!("t"));
    let step = server.heard("notifications/progress").json();
    assert_eq!(
        (&step["params"]["progress"], &step["params"]["message"]),
        (&json!(50), &json!("half way"))
    );
    let log = server.heard("notifications/message").json();
    assert_eq!(log["params"]["data"], json!({"a": 1}));
    assert_eq!(text(&server.answer(&id).json()["result"]), "done");
}

#[test]
fn bash_tools_ask_the_user() {
    let folder = bash(r#"answer=$(mcp_elicit_string "Your name?" name); mcp_emit_text "$answer""#);
    let server = folder.serve();
    let id = server.begin("it", &json!({}));
    let question = server.heard("elicitation/create");
    server.respond(
        &question,
        &json!({"action": "accept", "content": {"name": "Ada"}}),
    );
    assert!(text(&server.answer(&id).json()["result"]).contains("Ada"));
}

#[test]
fn bash_tools_see_that_they_were_cancelled() {
    let folder = bash(
        r#"trap '' TERM; echo begun > begun.txt
           until mcp_is_cancelled; do sleep 0.05; done; echo seen > seen.txt"#,
    );
    let server = folder.serve();
    let id = server.begin("it", &json!({}));
    folder.wait_for("begun.txt");
    assert!(!folder.path("seen.txt").exists());
    server.cancel(&id);
    folder.wait_for("seen.txt");
}

#[test]
fn python_tools_have_one_file() {
    let folder = Folder::new();
    folder.script(
        "tools/it.py",
        "#!/usr/bin/env python3\nimport os, sys\nsys.path.insert(0, os.environ['MCP_SDK'])\nimport mcptool\nprint('loaded', len([n for n in dir(mcptool) if not n.startswith('_')]) > 3)\n",
    );
    assert_eq!(folder.serve().text("it", &json!({})), "loaded True");
}

#[test]
fn the_sdks_can_be_exported() {
    let folder = Folder::new();
    let target = folder.beside("vendor");
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_linkspan"))
        .arg("sdk")
        .arg(&target)
        .output()
        .expect("it runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    for file in ["sdk/tool-sdk.sh", "sdk/mcptool.py", "sdk/mcptool.mjs"] {
        assert!(target.join(file).is_file(), "{file}");
    }
}
