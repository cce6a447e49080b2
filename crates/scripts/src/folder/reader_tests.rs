use std::fs;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;

use super::super::testing::{Folder, options};
use super::*;

fn error(folder: &Folder) -> FolderError {
    Catalogue::read(&folder.root(), &options()).unwrap_err()
}

#[test]
fn an_empty_folder_is_a_server_that_offers_nothing() {
    let folder = Folder::new();
    let catalogue = folder.read();
    let name = folder
        .root()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    assert_eq!(
        catalogue.server.shown,
        json!({"name": name, "version": "0.0.0"})
    );
    assert_eq!(
        folder.problems(&catalogue),
        [
            "warning .: nothing to offer: there is none of the folders tools, prompts, resources, skills (put an executable file into `tools/`)"
        ]
    );
}

#[test]
fn the_server_file_sets_name_and_version() {
    let folder = Folder::new();
    folder.tool("a");
    folder.file(
        "server.yaml",
        "name: mine\nversion: 1.10\ntitle: Mine\nwebsiteUrl: https://example.org\npageSize: 7\n",
    );
    folder.file("instructions.md", "Be kind.\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    assert_eq!(
        catalogue.server.shown,
        json!({"name": "mine", "version": "1.10", "title": "Mine", "websiteUrl": "https://example.org"})
    );
    assert_eq!(catalogue.server.instructions.as_deref(), Some("Be kind.\n"));
    assert_eq!(catalogue.server.metadata["pageSize"], 7);
    assert_eq!((catalogue.page_size, catalogue.concurrency), (7, 16));
}

#[test]
fn an_invalid_server_file_is_fatal() {
    for (name, text, expected) in [
        (
            "server.toml",
            "name = 'x'\nsandbox = 3\n",
            "server.toml:2: `sandbox` must be at most 2",
        ),
        ("server.yaml", "env: [\n", "server.yaml:1: "),
        (
            "server.json",
            "{\n\"cwd\": \"nowhere\"}",
            "server.json:2: `cwd` \"nowhere\": No such file",
        ),
    ] {
        let folder = Folder::new();
        folder.tool("a");
        folder.file(name, text);
        let error = error(&folder).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let folder = Folder::new();
    folder.file("server.toml", "");
    folder.file("server.json", "{}");
    assert_eq!(
        error(&folder).to_string(),
        "server.json: server.toml says the same"
    );
}

#[test]
fn an_unknown_server_field_is_a_warning() {
    let folder = Folder::new();
    folder.tool("a");
    folder.file("server.toml", "nmae = 'x'\ninputSchema = {}\n");
    assert_eq!(
        folder.problems(&folder.read()),
        [
            "warning server.toml:1: `nmae` is not known here (did you mean `name`?)",
            "warning server.toml:2: `inputSchema` is not known here (it belongs to a tool)",
        ]
    );
}

#[test]
fn a_misspelled_folder_is_reported() {
    let folder = Folder::new();
    folder.script("tool/a.sh", "#!/bin/sh\n");
    folder.file("prompts/p.md", "x");
    assert_eq!(
        folder.problems(&folder.read()),
        ["warning tool: is ignored (did you mean `tools`?)"]
    );
}

#[test]
fn a_file_instead_of_a_folder_is_refused() {
    let folder = Folder::new();
    folder.file("file", "");
    for path in ["file", "nowhere", "file/below"] {
        let error = Catalogue::read(&folder.path(path), &options()).unwrap_err();
        assert!(matches!(error, FolderError::NotAFolder { .. }), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_folder_writable_by_others_is_refused() {
    for mode in [0o757, 0o777, 0o1777, 0o702] {
        let folder = Folder::new();
        folder.tool("a");
        folder.mode("", mode);
        let error = error(&folder);
        assert_eq!(error.fix(), Some(Fix::MakePrivate(folder.root())));
        let options = ReadOptions {
            accept_writable: true,
            ..options()
        };
        assert_eq!(
            Catalogue::read(&folder.root(), &options)
                .unwrap()
                .tools
                .len(),
            1
        );
    }
}

#[test]
fn entries_writable_by_others_are_left_out() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d"] {
        folder.tool(name);
    }
    folder.script("tools/group/e.sh", "#!/bin/sh\n# E.\n");
    folder.file("tools/b.meta.yaml", "title: B\n");
    folder.file("prompts/p.md", "x");
    folder.file("resources/r.txt", "x");
    folder.script("providers/w", "#!/bin/sh\n");
    folder.file("skills/s/SKILL.md", "x");
    folder.mode("tools/a.sh", 0o757);
    folder.mode("tools/b.meta.yaml", 0o666);
    folder.mode("tools/group", 0o777);
    folder.mode("prompts", 0o777);
    folder.mode("resources/r.txt", 0o646);
    folder.mode("providers/w", 0o757);
    folder.mode("skills/s/SKILL.md", 0o646);
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["c", "d"]);
    assert!(catalogue.prompts.is_empty() && catalogue.resources.is_empty());
    assert!(catalogue.providers.is_empty());
    assert_eq!(catalogue.problems.len(), 7, "{:?}", catalogue.problems);
    for problem in &catalogue.problems {
        assert_eq!(problem.severity, Severity::Error);
        let path = folder.root().join(&problem.path);
        assert_eq!(problem.fix, Some(Fix::MakePrivate(path)));
    }
    folder.file("server.toml", "");
    folder.mode("server.toml", 0o666);
    let error = error(&folder);
    assert!(matches!(error, FolderError::ServerFile(_)), "{error}");
    assert!(error.fix().is_some());
}

#[test]
fn links_stay_inside_and_loops_end() {
    let folder = Folder::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("evil.sh"), "#!/bin/sh\n").unwrap();
    folder.tool("a");
    folder.script("shared/b.sh", "#!/bin/sh\n# B.\n");
    folder.script("open/c.sh", "#!/bin/sh\n# C.\n");
    folder.mode("open", 0o777);
    folder.link("../shared/b.sh", "tools/b.sh");
    folder.link("../open/c.sh", "tools/c.sh");
    folder.link(
        outside.path().join("evil.sh").to_str().unwrap(),
        "tools/evil.sh",
    );
    folder.link(outside.path().to_str().unwrap(), "resources/outside");
    folder.link("/etc/passwd", "resources/passwd");
    folder.link("../../../../../../etc", "resources/etc");
    folder.link("..", "tools/loop");
    folder.link(".", "tools/self");
    folder.link("nowhere", "tools/nowhere");
    folder.link("round2", "tools/round1");
    folder.link("round1", "tools/round2");
    folder.link("../shared", "tools/group");
    folder.link("../resources", "resources/deep/loop");
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(catalogue.resources.len(), 0);
    let problems = folder.problems(&catalogue);
    let errors: Vec<_> = problems.iter().filter(|p| p.starts_with("error")).collect();
    assert_eq!(
        errors,
        [
            "error open: cannot be trusted, and scripts may run code in it: others can write it \
             (mode 0777) (chmod go-w, or `linkspan validate --fix`)",
            "error resources/etc: is a link that leads out of the folder",
            "error resources/outside: is a link that leads out of the folder",
            "error resources/passwd: is a link that leads out of the folder",
            "error tools/c.sh: is a link to open/c.sh: open: others can write it (mode 0777)",
            "error tools/evil.sh: is a link that leads out of the folder",
        ]
    );
}

#[test]
fn odd_files_are_no_obstacle() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    folder.tool("a");
    folder.script("tools/ \t.sh", "#!/bin/sh\n# Space.\n");
    folder.script("tools/-rf.sh", "#!/bin/sh\n# Dash.\n");
    folder.script("tools/new\nline.sh", "#!/bin/sh\n# Line.\n");
    folder.script(
        &format!("tools/{}.sh", "x".repeat(200)),
        "#!/bin/sh\n# Long.\n",
    );
    folder.script("tools/🦀.sh", "#!/bin/sh\n# Crab.\n");
    folder.script("tools/.hidden.sh", "#!/bin/sh\n");
    folder.script("tools/a.sh~", "#!/bin/sh\n");
    folder.script("tools/.git/hook.sh", "#!/bin/sh\n");
    fs::write(
        folder
            .root()
            .join("tools")
            .join(std::ffi::OsStr::from_bytes(b"\xff.sh")),
        "",
    )
    .unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.path("resources-fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    fs::create_dir(folder.path("resources")).unwrap();
    fs::rename(folder.path("resources-fifo"), folder.path("resources/fifo")).unwrap();
    let catalogue = folder.read();
    let names: Vec<_> = catalogue.tools.iter().map(|t| t.name.as_str()).collect();
    let long = "x".repeat(64);
    assert_eq!(names, ["-rf", "a", "new_line", "u1f980", "u20_u9", &long]);
    let problems = folder.problems(&catalogue);
    assert!(
        problems.contains(&"warning resources/fifo: is neither a file nor a folder".to_owned())
    );
    assert!(
        problems
            .iter()
            .any(|p| p.contains("is not UTF-8, so it is left out"))
    );
}

#[test]
fn metadata_has_a_size_limit() {
    let folder = Folder::new();
    folder.tool("a");
    folder.file("tools/a.meta.yaml", " ".repeat((1 << 20) + 1));
    let catalogue = folder.read();
    assert_eq!(
        folder.problems(&catalogue),
        ["error tools/a.meta.yaml: is larger than 1 MiB"]
    );
    assert_eq!(catalogue.tools.len(), 0);
}

#[test]
fn crlf_and_byte_order_marks_are_accepted() {
    let folder = Folder::new();
    folder.script("tools/a.sh", "#!/bin/sh\n");
    folder.file(
        "tools/a.meta.json",
        "\u{feff}{\r\n\"description\": \"A\"\r\n}\r\n",
    );
    folder.file(
        "prompts/p.md",
        "\u{feff}---\r\ntitle: P\r\n---\r\nHello {{name}}\r\n",
    );
    folder.file("server.toml", "\u{feff}name = 'x'\r\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    assert_eq!(catalogue.prompts[0].shown["title"], "P");
}

#[test]
fn more_than_five_hundred_tools_give_a_warning() {
    let folder = Folder::new();
    for i in 0..500 {
        folder.tool(&format!("tool-{i}"));
        folder.file(
            &format!("tools/tool-{i}.meta.yaml"),
            "arguments: {path: string}\n",
        );
    }
    let start = Instant::now();
    let catalogue = folder.read();
    assert!(start.elapsed().as_secs() < 5);
    assert_eq!((catalogue.tools.len(), catalogue.problems.len()), (500, 0));
    folder.tool("one-more");
    let catalogue = folder.read();
    assert_eq!(catalogue.tools.len(), 501);
    assert_eq!(
        folder.problems(&catalogue),
        ["warning tools: more than 500 entries (clients and models work better with fewer)"]
    );
}

#[test]
fn the_sandbox_flag_is_the_minimum() {
    let folder = Folder::new();
    folder.script(
        "tools/a.sh",
        "#!/bin/sh\n#: description: A\n#: sandbox: 0\n",
    );
    let options = ReadOptions {
        sandbox: Some(2),
        ..options()
    };
    let catalogue = Catalogue::read(&folder.root(), &options).unwrap();
    assert_eq!(catalogue.tools[0].run.sandbox.level, 2);
    assert_eq!(folder.read().tools[0].run.sandbox.level, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_in_a_file_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..120), text in "[-a-z:{}\\[\\]\"'#!|>& \\n=.0-9]{0,120}") {
        let folder = Folder::new();
        for (at, content) in [bytes.as_slice(), text.as_bytes()].into_iter().enumerate() {
            for extension in ["yaml", "json", "toml"] {
                let name = format!("{extension}{at}");
                folder.tool(&name);
                folder.file(&format!("tools/{name}.meta.{extension}"), content);
                folder.file(&format!("tools/{name}-words.tool.{extension}"), content);
                folder.file(&format!("resources/{name}.meta.{extension}"), content);
                folder.file(&format!("prompts/{name}.meta.{extension}"), content);
            }
            let front = [b"---\n".as_slice(), content, b"\n---\nHello"].concat();
            folder.file(&format!("prompts/front{at}.md"), &front);
            folder.file(&format!("prompts/plain{at}.md"), content);
            folder.file(&format!("skills/{at}/SKILL.md"), &front);
            let script = [b"#!/bin/sh\n#: ".as_slice(), content].concat();
            for place in ["tools", "prompts", "resources", "providers", "completions"] {
                folder.file(&format!("{place}/run{at}.x"), &script);
                folder.mode(&format!("{place}/run{at}.x"), 0o755);
            }
        }
        let catalogue = folder.read();
        for problem in &catalogue.problems {
            prop_assert!(!problem.text.is_empty());
        }
        folder.file("server.yaml", &text);
        let _ = Catalogue::read(&folder.root(), &options());
    }
}

#[test]
fn common_mistakes_have_a_hint() {
    let folder = Folder::new();
    folder.file("prompts/p.md", "---\narguments:\n  - code\n---\n{{code}}\n");
    folder.file("tools/du.tool.yaml", "exec: \"du -h {{dir}}\"\n");
    folder.script(
        "tools/env.sh",
        "#!/usr/bin/env no-such-program -x\n# Runs.\n",
    );
    folder.script("tools/flat.sh", "#!/bin/sh\n# Flat.\n#: arguments: [a]\n");
    folder.script("tools/tab.sh", "#!/bin/sh\n# Tab.\n");
    folder.file("tools/tab.meta.yaml", "env:\n\tmode: minimal\n");
    assert_eq!(
        folder.problems(&folder.read()),
        [
            "error prompts/p.md:3: `arguments` must hold maps, not a text (write `- name: code`)",
            "error tools/du.tool.yaml:1: `exec` must be a list of texts, not \"du -h {{dir}}\" (write a list: [\"du\", \"-h\", \"{{dir}}\"])",
            "warning tools/env.sh:1: its interpreter `no-such-program` is not on the PATH (install it, or name an existing one (`python3`, not `python`))",
            "error tools/flat.sh:3: an argument needs a `name` (write `- name: a`)",
            "error tools/tab.meta.yaml:2: a tab where spaces must stand: YAML is indented with spaces",
        ]
    );
}

#[test]
fn editor_leftovers_are_ignored() {
    let folder = Folder::new();
    for name in [
        "a.sh.swx",
        "a.sh___jb_tmp___",
        "a.sh~",
        "#a.sh#",
        ".a.sh.swp",
        "Thumbs.db",
    ] {
        folder.script(&format!("tools/{name}"), "#!/bin/sh\n");
        folder.file(&format!("resources/{name}"), "text");
    }
    let catalogue = folder.read();
    assert!(catalogue.tools.is_empty() && catalogue.resources.is_empty());
    assert!(folder.problems(&catalogue).is_empty());
}
