//! `new` and `scaffold`.

use insta::assert_snapshot;

use crate::setup::Workspace;

#[test]
fn new_writes_one_entry_of_each_kind_and_prints_next_steps() {
    let workspace = Workspace::new("new");
    assert_snapshot!(workspace.run(&["new", "my-server"]), @r#"
    my-server/server.yaml
    my-server/README.md
    my-server/tools/hello.sh
    my-server/tools/hello.meta.yaml
    my-server/prompts/review.md
    my-server/completions/review.language
    my-server/resources/about.md
    my-server/resources/about.meta.yaml

    Next:
      linkspan validate my-server
      linkspan run-tool my-server hello --args '{"name":"you"}'
      linkspan config my-server
    "#);
    assert!(
        workspace
            .read("my-server/server.yaml")
            .contains("name: \"my-server\"\n")
    );
    assert!(
        workspace
            .files("my-server")
            .contains(&"tools/hello.sh*".to_owned())
    );
}

#[test]
fn new_uses_the_requested_language() {
    for (lang, file) in [("python", "tools/hello.py*"), ("node", "tools/hello.mjs*")] {
        let workspace = Workspace::new(lang);
        assert_eq!(workspace.run(&["new", "it", "--lang", lang]).code, Some(0));
        assert!(workspace.files("it").contains(&file.to_owned()), "{lang}");
    }
}

#[test]
fn new_accepts_an_empty_folder_and_refuses_others() {
    let workspace = Workspace::new("full");
    std::fs::create_dir(workspace.path("empty")).unwrap();
    assert_eq!(workspace.run(&["new", "empty"]).code, Some(0));
    assert_snapshot!(workspace.run(&["new", "empty"]), @"
    [stderr]
    error: empty is not empty
    hint: linkspan scaffold tool NAME empty adds to an existing folder
    [exit 2]
    ");
    workspace.write("file", "");
    let ran = workspace.run(&["new", "file"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(workspace.read("file"), "");
}

#[test]
fn new_accepts_any_folder_name() {
    let workspace = Workspace::new("called");
    for name in ["my server", "ünïcode", "it's \"quoted\": #1", "-dash"] {
        let path = format!("./{name}");
        assert_eq!(workspace.run(&["new", &path]).code, Some(0), "{name}");
        let server = workspace.read(&format!("{name}/server.yaml"));
        let line = server
            .lines()
            .find(|line| line.starts_with("name: "))
            .unwrap();
        let word = line["name: \"".len()..].trim_end_matches('"');
        assert!(
            word.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)),
            "{line}"
        );
    }
}

#[test]
fn every_kind_of_entry_can_be_scaffolded() {
    let workspace = Workspace::new("each");
    for args in [
        &["tool", "weather"][..],
        &["tool", "stocks", "--lang", "python"],
        &["tool", "news", "--lang", "node"],
        &["prompt", "review"],
        &["prompt", "daily", "--lang", "bash"],
        &["resource", "notes"],
        &["resource", "clock", "--lang", "python"],
        &["completion", "review.language"],
        &["completion", "review.code", "--lang", "node"],
    ] {
        let ran = workspace.run(&[&["scaffold"], args].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{args:?}");
    }
    std::fs::remove_dir(workspace.path("home")).unwrap();
    assert_eq!(
        workspace.files("."),
        [
            "completions/review.code.mjs*",
            "completions/review.language.sh*",
            "prompts/daily.sh*",
            "prompts/review.md",
            "resources/clock.meta.yaml",
            "resources/clock.py*",
            "resources/notes.md",
            "resources/notes.meta.yaml",
            "tools/news/README.md",
            "tools/news/tool.meta.yaml",
            "tools/news/tool.mjs*",
            "tools/stocks/README.md",
            "tools/stocks/tool.meta.yaml",
            "tools/stocks/tool.py*",
            "tools/weather/README.md",
            "tools/weather/tool.meta.yaml",
            "tools/weather/tool.sh*",
        ]
    );
}

#[test]
fn scaffold_never_overwrites_and_writes_all_files_or_none() {
    let workspace = Workspace::new("over");
    assert_eq!(workspace.run(&["scaffold", "tool", "x"]).code, Some(0));
    workspace.write("tools/x/tool.sh", "mine");
    assert_snapshot!(workspace.run(&["scaffold", "tool", "x"]), @"
    [stderr]
    error: tools/x already exists
    hint: choose another name, or remove it
    [exit 1]
    ");
    assert_eq!(workspace.read("tools/x/tool.sh"), "mine");

    // The same name with another extension would be the same tool.
    workspace.program("tools/y.py", "");
    assert_eq!(workspace.run(&["scaffold", "tool", "y"]).code, Some(1));
    assert!(!workspace.path("tools/y").exists());

    workspace.write("resources/z.meta.yaml", "mine");
    assert_eq!(workspace.run(&["scaffold", "resource", "z"]).code, Some(1));
    assert!(!workspace.path("resources/z.md").exists());
}

#[cfg(unix)]
#[test]
fn scaffold_does_not_follow_dangling_links() {
    let workspace = Workspace::new("link");
    std::fs::create_dir(workspace.path("prompts")).unwrap();
    let target = workspace.path("elsewhere");
    std::os::unix::fs::symlink(&target, workspace.path("prompts/p.md")).unwrap();
    assert_eq!(workspace.run(&["scaffold", "prompt", "p"]).code, Some(1));
    assert!(!target.exists());
}

#[test]
fn completions_of_two_arguments_can_be_scaffolded() {
    let workspace = Workspace::new("completions");
    for name in ["review.language", "review.lang", "review.code"] {
        let ran = workspace.run(&["scaffold", "completion", name]);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    assert_eq!(
        workspace
            .run(&["scaffold", "completion", "review.lang"])
            .code,
        Some(1)
    );
}

#[test]
fn invalid_names_are_refused() {
    let workspace = Workspace::new("names");
    for name in [
        "../evil", "a/b", "a.b", "", " ", "-rf", ".hidden", "ä", "a\nb", "nul", "$(id)", "a;b",
    ] {
        let ran = workspace.run(&["scaffold", "tool", "--", name]);
        assert_eq!(ran.code, Some(2), "{name:?}: {ran}");
    }
    assert!(!workspace.path("tools").exists());
    assert_snapshot!(workspace.run(&["scaffold", "tool", "../evil"]), @"
    [stderr]
    error: `../evil` cannot be a name: clients do not accept `.`
    hint: letters, digits, _ and -, at most 64 of them, beginning with a letter or a digit
    [exit 2]
    ");
    assert_snapshot!(workspace.run(&["scaffold", "completion", "review"]), @"
    [stderr]
    error: `review` does not name a prompt and an argument
    hint: write PROMPT.ARGUMENT, for example review.language
    [exit 2]
    ");
}

#[test]
fn a_scaffold_needs_a_folder() {
    let workspace = Workspace::new("folder");
    assert_snapshot!(workspace.run(&["scaffold", "tool", "x", "nowhere"]), @"
    [stderr]
    error: nowhere is not a folder
    hint: linkspan new nowhere makes one
    [exit 2]
    ");
}

/// A group with write access decides what runs; many systems create files with it.
#[cfg(unix)]
#[test]
fn scaffolded_files_can_be_served_with_any_umask() {
    let workspace = Workspace::new("umask");
    let made = std::process::Command::new("sh")
        .args([
            "-c",
            "umask 000; \"$0\" new it && \"$0\" scaffold tool x it",
        ])
        .arg(env!("CARGO_BIN_EXE_linkspan"))
        .current_dir(&workspace.root)
        .output()
        .unwrap();
    assert!(made.status.success());
    let ran = workspace.run(&["validate", "it", "--strict"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn scaffolded_entries_are_valid() {
    let workspace = Workspace::new("valid");
    assert_eq!(workspace.run(&["new", "it"]).code, Some(0));
    for args in [
        &["tool", "a"][..],
        &["tool", "b", "--lang", "python"],
        &["tool", "c", "--lang", "node"],
        &["prompt", "d"],
        &["prompt", "e", "--lang", "bash"],
        &["prompt", "f", "--lang", "python"],
        &["prompt", "g", "--lang", "node"],
        &["resource", "h"],
        &["resource", "i", "--lang", "bash"],
        &["resource", "j", "--lang", "python"],
        &["resource", "k", "--lang", "node"],
        &["completion", "review.code"],
        &["completion", "d.code", "--lang", "python"],
        &["completion", "d.language", "--lang", "node"],
    ] {
        let ran = workspace
            .runs(&[&["scaffold"], args].concat())
            .inside("it")
            .end();
        assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
    }
    let ran = workspace.run(&["validate", "it", "--strict", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let all = ran.json();
    let count = |kind: &str| all[kind].as_array().unwrap().len();
    assert_eq!(count("tools"), 4);
    assert_eq!(count("prompts"), 5);
    assert_eq!(count("resources"), 5);
    assert_eq!(count("completions"), 4);
}

#[test]
fn the_examples_of_scaffold_work_in_a_new_folder() {
    let workspace = Workspace::new("examples");
    assert_eq!(workspace.run(&["new", "my-server"]).code, Some(0));
    let help = workspace.run(&["scaffold", "--help"]).stdout;
    let examples = help
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("linkspan scaffold "));
    let examples: Vec<Vec<&str>> = examples
        .map(|line| line.split(' ').skip(1).collect())
        .collect();
    assert!(examples.len() >= 4, "{help}");
    for words in examples {
        let ran = workspace.run(&words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
    }
    let ran = workspace.run(&["validate", "my-server", "--strict"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}
