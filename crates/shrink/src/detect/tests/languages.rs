//! Source code in many languages, which is not a log, and program output, which is.

use super::*;

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|i| line(i) + "\n").collect()
}

/// The name of a language as in a fence, and code in it that repeats its statements.
fn sources() -> Vec<(&'static str, String)> {
    vec![
        (
            "sql",
            "insert into events (id, name, at) values\n".to_owned()
                + &many(30, |i| {
                    format!("(1{i}, 'name {i}', '2025-01-02 03:04:{i:02}'),")
                })
                + &many(30, |i| format!("drop index events_{i} on events\ngo")),
        ),
        (
            "vimscript",
            "\" Vim syntax file\n".to_owned()
                + &many(30, |i| {
                    format!("hi Group{i} ctermfg={i} ctermbg=3 cterm=bold")
                })
                + &many(30, |i| format!("syn keyword logLevel{i} ERROR INFO WARN"))
                + &many(10, |i| format!("\" WARNING: item {i} is old")),
        ),
        (
            "bat",
            "@echo off\n".to_owned()
                + &many(30, |i| format!("echo step {i}"))
                + &many(30, |i| format!("set VALUE_{i}={i}"))
                + &many(10, |i| format!("rem ERROR {i}")),
        ),
        (
            "makefile",
            many(20, |i| format!("part{i}.o: part{i}.c part{i}.h"))
                + &many(20, |i| format!("OBJECTS += part{i}.o"))
                + &many(20, |i| format!("\t@echo Building part {i}")),
        ),
        (
            "dockerfile",
            "FROM debian:12\n".to_owned()
                + &many(20, |i| format!("COPY part{i} /srv/part{i}"))
                + &many(20, |i| format!("RUN make -C /srv/part{i} install"))
                + &many(20, |i| format!("ENV LEVEL_{i} DEBUG")),
        ),
        (
            "latex",
            "\\begin{itemize}\n".to_owned()
                + &many(40, |i| format!("  \\item The {i}th thing is measured"))
                + "\\end{itemize}\n"
                + &many(20, |i| {
                    format!("\\newcommand{{\\part{}}}{{Part {i}}}", "x".repeat(i))
                }),
        ),
        (
            "haskell",
            "module Levels where\n\n".to_owned()
                + &many(20, |i| format!("name Level{i} = \"level {i}\""))
                + &many(20, |i| format!("value Level{i} = {i}")),
        ),
        (
            "asm",
            many(20, |i| {
                format!("label{i}:\n\tMOV\tR{}, R1\n\tADD\tR2, R3", i % 8)
            }) + &many(20, |i| format!("\tDB\t'ERROR {i}', 0")),
        ),
        (
            "gcode",
            "G21\nG90\n".to_owned() + &many(60, |i| format!("G1 X{i}.250 Y{}.5 E0.{i:03}", i * 2)),
        ),
        (
            "sass",
            many(30, |i| {
                format!(".m-{i}\n  margin: {i}px\n  width: {i}%\n  transition: {i}ms")
            }),
        ),
        (
            "po",
            many(30, |i| {
                format!(
                    "#: src/part{i}.c:{i}\nmsgid \"Failed to open {i} of 30\"\nmsgstr \"{i} von 30 nicht offen\"\n"
                )
            }),
        ),
        (
            "ini",
            "[logging]\n".to_owned()
                + &many(30, |i| format!("logger{i} = DEBUG"))
                + &many(20, |i| format!("timeout{i}=30s")),
        ),
        (
            "llvm",
            many(30, |i| format!("  %v{i} = add nsw i32 %a, {i}"))
                + &many(20, |i| format!("declare void @part{i}(i32)")),
        ),
        (
            "abap",
            many(30, |i| format!("WRITE / 'line {i}'."))
                + &many(30, |i| format!("MOVE value_{i} TO target_{i}.")),
        ),
        (
            "basic",
            many(40, |i| format!("PRINT \"STEP {i}\"")) + &many(40, |i| format!("GOSUB {i}00")),
        ),
        (
            "prolog",
            many(40, |i| format!("level(info, {i}, 'step {i}').")),
        ),
        (
            "python",
            "LEVELS = dict(\n".to_owned()
                + &many(20, |i| format!("    name_{i}=None,"))
                + ")\nDEBUG = 10\nINFO = 20\nWARNING = 30\nERROR = 40\n# ERROR: never\n# INFO: always\n",
        ),
        (
            "perl",
            many(12, |i| {
                format!("  DEBUG > {i} and print STDERR \"Step {i}\\n\"")
            }),
        ),
        (
            "haproxy",
            "backend web\n".to_owned()
                + &many(30, |i| {
                    format!("    server web{i} 10.0.0.{i}:80 check weight {i}")
                }),
        ),
    ]
}

fn has_log(text: &str) -> bool {
    detect(text, 0.7)
        .iter()
        .any(|region| region.kind == Kind::Log)
}

#[test]
fn repeated_statements_are_not_a_log_in_any_language() {
    let logs: Vec<&str> = sources()
        .iter()
        .filter(|(_, text)| has_log(text))
        .map(|(lang, _)| *lang)
        .collect();
    assert_eq!(logs, [""; 0]);
}

#[test]
fn code_in_a_fence_is_code_under_any_name_of_its_language() {
    let log = many(20, |i| {
        format!("2025-01-02 03:04:{i:02} INFO request {i} done")
    });
    for (lang, text) in sources() {
        for content in [&text, &log] {
            let fenced = format!("Here:\n\n```{lang}\n{content}```\n\nDone.\n");
            let kinds: Vec<Kind> = kinds(&fenced)
                .into_iter()
                .map(|(kind, _, _)| kind)
                .collect();
            assert_eq!(kinds, [Kind::Plain, Kind::Code, Kind::Plain], "{fenced}");
        }
    }
}

#[test]
fn the_kind_of_output_in_a_fence_is_detected() {
    let log = many(20, |i| {
        format!("2025-01-02 03:04:{i:02} INFO request {i} done")
    });
    for name in ["", "text", "console", "log", "output", "Log"] {
        assert!(has_log(&format!("```{name}\n{log}```\n")), "{name}");
    }
    let rows = many(20, |i| format!("{{\"id\": {i}}}"));
    for name in ["", "json", "jsonl", "ndjson"] {
        let fenced = format!("```{name}\n{rows}```\n");
        let found = kinds(&fenced)
            .into_iter()
            .any(|(kind, _, _)| kind == Kind::Ndjson);
        assert!(found, "{fenced}");
    }
}

#[test]
fn output_of_a_run_is_a_log_even_without_timestamps() {
    for text in [
        many(30, |i| format!("test part{}::case_{i} ... ok", i % 3)),
        many(30, |i| format!("   Compiling part{i} v1.{i}.0")),
        many(30, |i| format!("Setting up libpart{i} (1.{i}-2) ...")),
        many(30, |i| format!("tests/test_a.py::test_{i} PASSED [ {i}%]")),
        many(30, |i| format!("[{i}/30] Building C object part{i}.o")),
        many(30, |i| format!("  ✓ does thing {i} ({i} ms)")),
        many(30, |i| format!("worker[{i}]: accepted the job")),
        many(30, |i| format!("worker {i} has taken job {}", i * 7)),
        many(30, |i| format!("ok {i} - does thing {i}")),
        many(30, |i| format!("warning: part {i} is not used")),
        many(30, |i| {
            format!("reply from host: seq={i} ttl=57 time=1{i}.3 ms")
        }),
    ] {
        // Test runners print paths, which may be mistaken for search hits.
        let found = kinds(&text)
            .into_iter()
            .any(|(kind, _, _)| kind != Kind::Plain);
        assert!(found, "{text}");
    }
}
