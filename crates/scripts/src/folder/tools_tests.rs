use std::time::Duration;

use serde_json::json;

use super::super::testing::Folder;
use super::super::{Fix, SandboxSettings};
use super::*;

#[test]
fn an_executable_file_is_a_tool() {
    let folder = Folder::new();
    folder.script(
        "tools/greet.sh",
        "#!/bin/sh\n# Greets people.\necho hello\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let [tool] = catalogue.tools.as_slice() else {
        panic!("{:?}", catalogue.tools)
    };
    assert_eq!(
        tool.shown,
        json!({"name": "greet", "description": "Greets people.", "inputSchema": {"type": "object"}})
    );
    let path = folder.path("tools/greet.sh");
    assert_eq!(tool.program, Program::Argv(vec![path.into()]));
    assert!(tool.input.is_none() && tool.output.is_none());
    assert_eq!(tool.mode, Mode::Once);
}

#[test]
fn metadata_files_override_inline_metadata() {
    let folder = Folder::new();
    folder.script(
        "tools/greet.sh",
        "#!/bin/sh\n#: title: Inside\n#: description: Greets.\n#: timeoutSecs: 5\n",
    );
    folder.file("tools/greet.meta.yaml", "title: Beside\ntimeoutSecs: 2m\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let tool = &catalogue.tools[0];
    assert_eq!(tool.shown["title"], "Beside");
    assert_eq!(tool.shown["description"], "Greets.");
    assert_eq!(tool.run.timeout, Duration::from_secs(120));
    assert_eq!(tool.metadata["timeoutSecs"], "2m");
}

#[test]
fn the_short_form_of_arguments_becomes_a_schema() {
    let folder = Folder::new();
    folder.tool("a");
    folder.file(
        "tools/a.meta.yaml",
        "description: A\narguments:\n  path: string\n  depth: {type: integer, minimum: 1, required: true}\n  how: {enum: [x, y]}\n  free:\n",
    );
    folder.tool("b");
    folder.file(
        "tools/b.meta.toml",
        "description = 'B'\n[[arguments]]\nname = 'z'\nrequired = true\n[[arguments]]\nname = 'y'\ntype = 'number'\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    assert_eq!(
        catalogue.tools[0].shown["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "depth": {"type": "integer", "minimum": 1},
                "how": {"enum": ["x", "y"]},
                "free": {"type": "string"},
            },
            "required": ["depth"],
        })
    );
    assert_eq!(
        catalogue.tools[1].shown["inputSchema"].to_string(),
        r#"{"type":"object","properties":{"z":{"type":"string"},"y":{"type":"number"}},"required":["z"]}"#
    );
    let schema = catalogue.tools[0].input.as_ref().unwrap();
    assert_eq!(schema.check(&json!({"depth": 1})), Vec::<String>::new());
    assert_eq!(schema.check(&json!({"depth": 0})).len(), 1);
}

#[test]
fn a_folder_with_a_main_file_is_one_tool() {
    let folder = Folder::new();
    folder.script("tools/greet/tool.py", "#!/usr/bin/env python3\n# Greets.\n");
    folder.script("tools/greet/helper.sh", "#!/bin/sh\n");
    folder.file("tools/greet/tool.md", "How it greets.\n");
    folder.file("tools/greet/tool.meta.json", "{\"title\": \"T\"}");
    folder.script("tools/group/inner/deep.sh", "#!/bin/sh\n# Deep.\n");
    folder.script("tools/a/b/c/too-deep.sh", "#!/bin/sh\n# Too deep.\n");
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["deep", "greet"]);
    assert_eq!(catalogue.tools[1].shown["title"], "T");
    let problems = folder.problems(&catalogue);
    assert_eq!(
        problems,
        ["warning tools/a/b/c: lies more than 3 folders deep and is ignored"]
    );
}

#[test]
fn exec_tools_need_no_script() {
    let folder = Folder::new();
    folder.file(
        "tools/du.tool.yaml",
        "description: Sizes\nexec: [du, -h, '--max-depth={{depth}}', --, '{{dir}}']\n",
    );
    folder.file(
        "tools/ls.tool.json",
        r#"{"description": "Lists", "exec": ["ls", "{{dir}}", "{{dri}}"], "arguments": {"dir": "string"}}"#,
    );
    let catalogue = folder.read();
    let [du, ls] = catalogue.tools.as_slice() else {
        panic!("{:?}", catalogue.problems)
    };
    assert_eq!(du.name, "du");
    assert_eq!(
        du.shown["inputSchema"],
        json!({
            "type": "object",
            "properties": {"depth": {"type": "string"}, "dir": {"type": "string"}},
            "required": ["depth", "dir"],
        })
    );
    assert!(matches!(&ls.program, Program::Template(words) if words[0] == "ls"));
    assert_eq!(
        folder.problems(&catalogue),
        ["warning tools/ls.tool.json:1: `{{dri}}` is not an argument of this tool"]
    );
}

#[test]
fn invalid_entries_are_reported_with_their_line() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        folder.tool(name);
    }
    folder.file("tools/a.meta.yaml", "title: A\ntimeoutSecs: [1]\n");
    folder.file("tools/b.meta.yaml", "title: A\n");
    folder.file("tools/b.meta.json", "{}");
    folder.file(
        "tools/c.meta.json",
        "{\n\"inputSchema\": {\"type\": \"text\"}}",
    );
    folder.file("tools/d.meta.toml", "title = 1\n[oops\n");
    folder.file(
        "tools/e.meta.yaml",
        "description: E\narguments:\n  x: int\n",
    );
    folder.file(
        "tools/f.meta.yaml",
        "inputSchema: {properties: {x: {type: text}}}\n",
    );
    folder.file("tools/g.meta.yaml", "- a list\n");
    folder.file("tools/h.meta.yaml", "cwd: ../..\n");
    folder.file("tools/none.tool.yaml", "description: N\n");
    folder.file("tools/var.tool.yaml", "exec: ['{{program}}']\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.tools.len(), 0);
    assert_eq!(
        folder.problems(&catalogue),
        [
            "error tools/a.meta.yaml:2: `timeoutSecs` must be seconds, or a text like \"500ms\", \"30s\" or \"5m\", not a list",
            "error tools/b.meta.yaml: b.meta.json describes the same entry (keep one of them)",
            "error tools/c.meta.json:2: `inputSchema` must have the type \"object\", not \"text\"",
            "error tools/d.meta.toml:2: unclosed table, expected `]`",
            "error tools/e.meta.yaml:3: the argument `x` has the unknown type \"int\" (did you mean `integer`?)",
            "error tools/f.meta.yaml:1: `inputSchema` is no JSON Schema: /properties/x/type: \"text\" is not valid under any of the schemas listed in the 'anyOf' keyword",
            "error tools/g.meta.yaml:1: a map of fields was expected, not a list",
            "error tools/h.meta.yaml:1: `cwd` \"../..\" is not a folder inside this one",
            "error tools/none.tool.yaml: `exec` is missing: the command line to run (for example: exec: [\"du\", \"-h\", \"{{dir}}\"])",
            "error tools/var.tool.yaml:1: the program itself cannot come from an argument",
        ]
    );
}

#[test]
fn a_script_that_is_not_executable_has_a_fix() {
    let folder = Folder::new();
    folder.file("tools/a.sh", "#!/bin/sh\n");
    folder.file("tools/notes.txt", "notes\n");
    folder.file("tools/notes.meta.yaml", "title: Notes\n");
    folder.file("tools/README.md", "read me\n");
    folder.file("tools/_common.sh", "#!/bin/sh\n");
    folder.file("tools/lib/common.sh", "#!/bin/sh\n");
    let catalogue = folder.read();
    let [first, second] = catalogue.problems.as_slice() else {
        panic!("{:?}", catalogue.problems)
    };
    assert_eq!(
        first.fix,
        Some(Fix::MakeExecutable(folder.path("tools/a.sh")))
    );
    assert_eq!(second.text, "is not executable, so it is not a tool");
}

#[test]
fn names_are_made_fit_and_stay_unique() {
    let folder = Folder::new();
    folder.script("tools/my tool.sh", "#!/bin/sh\n# One.\n");
    folder.script("tools/my_tool.sh", "#!/bin/sh\n# Two.\n");
    folder.script("tools/werkzeug-für-größe.sh", "#!/bin/sh\n# Three.\n");
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["my_tool", "werkzeug-f_r-gr__e"]);
    assert_eq!(catalogue.tools[0].shown["description"], "One.");
    assert_eq!(catalogue.problems.len(), 3, "{:?}", catalogue.problems);
}

#[test]
fn server_settings_apply_to_every_tool() {
    let folder = Folder::new();
    folder.file(
        "server.toml",
        "timeoutSecs = 5\nsandbox = 2\nconcurrency = 3\n[env]\nallow = ['A']\nset = {X = 1, Y = 'y'}\n[limits]\nopenFiles = 99\n",
    );
    folder.tool("a");
    folder.tool("b");
    folder.file(
        "tools/b.meta.yaml",
        "timeoutSecs: 7\nconcurrency: 1\nsandbox: {read: [data], write: ['~/x'], net: [443]}\nenv: {set: {X: 2}}\nlimits: {cpuSecs: 1.5, memoryBytes: 1 GiB}\ncwd: tools\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.concurrency, 3);
    let (a, b) = (&catalogue.tools[0].run, &catalogue.tools[1].run);
    assert_eq!((a.timeout.as_secs(), b.timeout.as_secs()), (5, 7));
    assert_eq!((a.concurrency, b.concurrency), (None, Some(1)));
    assert_eq!(
        b.sandbox,
        SandboxSettings {
            level: 2,
            read: vec![folder.path("data")],
            write: vec![folder.path("~/x")],
            net: Some(vec![443]),
            ..SandboxSettings::default()
        }
    );
    let pair = |n: &str, v: &str| (n.to_owned(), v.to_owned());
    assert_eq!(b.env.set, [pair("X", "2"), pair("Y", "y")]);
    assert_eq!(b.env.allow, ["A"]);
    assert_eq!(
        (b.limits.cpu, b.limits.memory, b.limits.files),
        (Some(2), Some(1 << 30), Some(99))
    );
    assert_eq!(b.cwd, Some(folder.path("tools")));
    assert_eq!(
        folder.problems(&catalogue),
        [
            "warning tools/b.meta.yaml:3: `~/x` is used literally: no shell expands it (write the whole path)"
        ]
    );
}

#[test]
fn tools_can_be_left_out() {
    let folder = Folder::new();
    folder.file("server.yaml", "allow: ['git_*', other]\ndeny: [git_push]\n");
    for name in ["git_log", "git_push", "other", "more"] {
        folder.tool(name);
    }
    folder.script("tools/off.sh", "#!/bin/sh\n#: enabled: false\n");
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["git_log", "other"]);
}

#[test]
fn workers_and_servers_are_described() {
    let folder = Folder::new();
    folder.script("tools/w.py", "#!/usr/bin/env python3\n#: description: W\n#: mode: worker\n#: workers: {count: 2, idleSecs: 1m, maxCalls: 9}\n");
    folder.script(
        "tools/m.py",
        "#!/usr/bin/env python3\n#: mode: mcp\n#: prefix: ''\n",
    );
    folder.file("tools/n.tool.yaml", "mode: mcp\nexec: [npx, -y, server]\n");
    folder.file("tools/o.tool.yaml", "mode: mcp\nexec: [npx, '{{x}}']\n");
    let catalogue = folder.read();
    assert_eq!(
        folder.problems(&catalogue),
        [
            "error tools/o.tool.yaml:2: a long-running process starts before there are arguments, so `exec` must not use any"
        ]
    );
    assert!(matches!(&catalogue.tools[1].program, Program::Argv(words) if words.len() == 3));
    let Mode::Worker(workers) = &catalogue.tools[2].mode else {
        panic!()
    };
    assert_eq!((workers.count, workers.max_calls), (2, Some(9)));
    assert_eq!(workers.idle, Duration::from_secs(60));
    let Mode::Mcp(mount) = &catalogue.tools[0].mode else {
        panic!()
    };
    assert_eq!(mount.prefix.as_deref(), Some(""));
}

#[test]
fn programs_are_classified_without_running_them() {
    let folder = Folder::new();
    folder.script("tools/a.sh", "# A.\necho\n");
    folder.script("tools/b", "# B.\necho\n");
    folder.script("tools/c.sh", "#!/bin/bash\r\n# C.\r\n");
    folder.script("tools/d.sh", "#!/opt/nowhere/sh\n# D.\n");
    folder.script("tools/e", "\u{7f}ELF and so on");
    folder.file("tools/e.meta.yaml", "description: E\n");
    let catalogue = folder.read();
    let argv = |at: usize| match &catalogue.tools[at].program {
        Program::Argv(argv) => argv.len(),
        Program::Template(_) => 0,
    };
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a", "c", "d", "e"]);
    assert_eq!([argv(0), argv(1), argv(2), argv(3)], [2, 2, 1, 1]);
    let problems = folder.problems(&catalogue);
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems[1].starts_with("error tools/b:1: is not a program"));
}

#[test]
fn an_exec_path_must_be_trusted_and_in_the_folder() {
    let folder = Folder::new();
    folder.script("bin/ok", "#!/bin/sh\n");
    folder.script("bin/open", "#!/bin/sh\n");
    folder.mode("bin/open", 0o777);
    folder.file("tools/a.tool.yaml", "description: A\nexec: [./bin/ok, x]\n");
    folder.file("tools/b.tool.yaml", "description: B\nexec: [bin/open]\n");
    folder.file("tools/c.tool.yaml", "description: C\nexec: [bin/none]\n");
    folder.file("tools/d.tool.yaml", "description: D\nexec: [/bin/sh]\n");
    let catalogue = folder.read();
    let first = |at: usize| match &catalogue.tools[at].program {
        Program::Template(words) => words[0].clone(),
        Program::Argv(_) => String::new(),
    };
    assert_eq!(first(0), folder.path("./bin/ok").display().to_string());
    assert_eq!(first(1), "/bin/sh");
    assert_eq!(
        folder.problems(&catalogue),
        [
            "error bin/open: cannot be trusted, and scripts may run code in it: others can write \
             it (mode 0777) (chmod go-w, or `linkspan validate --fix`)",
            "error tools/b.tool.yaml:2: `exec` \"bin/open\": others can write it (mode 0777)",
            "error tools/c.tool.yaml:2: `exec` \"bin/none\": No such file or directory (os error 2)",
        ]
    );
}
