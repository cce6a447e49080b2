//! Source code is not changed, even if its lines resemble other kinds.

use super::*;

/// Code that repeats a pattern as logs do, or contains tables, levels and times.
fn sources() -> Vec<(&'static str, String)> {
    let many =
        |line: &dyn Fn(usize) -> String| -> String { (0..30).map(|i| line(i) + "\n").collect() };
    vec![
        (
            "rust",
            many(&|i| format!("use crate::part{i}::{{One, Two}};"))
                + "\nimpl Level {\n    fn name(self) -> &'static str {\n        match self {\n"
                + &many(&|i| format!("            Self::Level{i} => \"ERROR {i}\","))
                + "        }\n    }\n}\n",
        ),
        (
            "c",
            "#include <stdio.h>\n\n".to_owned()
                + &many(&|i| format!("#define FLAG_{i}    0x{i:04x}"))
                + "\nstatic const struct row rows[] = {\n"
                + &many(&|i| format!("    {{ \"name{i}\", {i}, FLAG_{i} }},"))
                + "};\n",
        ),
        (
            "typescript",
            many(&|i| format!("export * from './part{i}';"))
                + &many(&|i| format!("export const value{i}: number = {i};")),
        ),
        (
            "python",
            "import logging\n\nlogger = logging.getLogger()\n\n\ndef run():\n".to_owned()
                + &many(&|i| format!("    logger.info(\"step {i} at 12:30:{i:02}\")"))
                + &many(&|i| format!("    assert run({i}) == {i}")),
        ),
        (
            "go",
            "package main\n\nfunc main() {\n".to_owned()
                + &many(&|i| format!("\tlog.Printf(\"INFO step %d\", {i})"))
                + "}\n",
        ),
        (
            "java",
            "public enum Code {\n".to_owned()
                + &many(&|i| format!("    CODE_{i}({i}, \"text {i}\"),"))
                + &many(&|i| format!("    private static final int VALUE_{i} = {i};"))
                + "}\n",
        ),
        ("css", many(&|i| format!(".m-{i} {{\n  margin: {i}px;\n}}"))),
        (
            "sh",
            "set -e\n".to_owned()
                + &many(&|i| format!("cp \"$from/{i}\" \"$to/{i}\" &&"))
                + "true\n",
        ),
    ]
}

fn kinds(text: &str) -> Vec<Kind> {
    let regions = detect(text, 0.7);
    regions.into_iter().map(|region| region.kind).collect()
}

#[test]
fn a_file_of_source_code_stays_as_it_is() {
    for (lang, text) in sources() {
        assert_eq!(kinds(&text), [Kind::Plain], "{lang}\n{text}");
    }
}

#[test]
fn code_in_a_fence_that_names_its_language_is_code() {
    for (lang, text) in sources() {
        let fenced = format!("Here it is:\n\n```{lang}\n{text}```\n\nThat was it.\n");
        assert_eq!(
            kinds(&fenced),
            [Kind::Plain, Kind::Code, Kind::Plain],
            "{fenced}"
        );
        let log = "2025-01-02 03:04:05 INFO started\n".repeat(20);
        let fenced = format!("```{lang}\n{log}```\n");
        assert_eq!(
            kinds(&fenced),
            [Kind::Plain, Kind::Code, Kind::Plain],
            "{fenced}"
        );
    }
}

#[test]
fn numbered_code_is_detected_as_numbered() {
    for (lang, text) in sources() {
        let numbered: String = (1..)
            .zip(text.lines())
            .map(|(i, line)| format!("{i:6}\t{line}\n"))
            .collect();
        assert_eq!(kinds(&numbered), [Kind::Numbered], "{lang}\n{numbered}");
        let fenced = format!("```{lang}\n{numbered}```\n");
        assert_eq!(
            kinds(&fenced),
            [Kind::Plain, Kind::Numbered, Kind::Plain],
            "{fenced}"
        );
    }
}

#[test]
fn code_between_other_texts_is_not_a_log() {
    for (lang, text) in sources() {
        // No two lines look alike.
        let word = |i: usize| -> String {
            [i / 676, i / 26, i]
                .map(|i| char::from(b'a' + (i % 26) as u8))
                .iter()
                .collect()
        };
        let prose: String = (0..400)
            .map(|i| {
                format!(
                    "{} said {}that it was so.\n",
                    word(i * 7),
                    "much ".repeat(i % 9)
                )
            })
            .collect();
        let found = kinds(&format!("{prose}\n{text}\n{prose}"));
        let is_plain = |kind: &Kind| matches!(kind, Kind::Plain | Kind::Code);
        assert!(found.iter().all(is_plain), "{lang}: {found:?}");
    }
}

#[test]
fn output_that_quotes_code_is_not_code() {
    let trace: String = (0..20)
        .map(|i| format!("2025-01-02 03:04:{i:02} ERROR failed\n    at run(app.js:{i}:5)\n    at main(app.js:9:1)\n"))
        .collect();
    assert_eq!(kinds(&trace), [Kind::Log]);
    let hits: String = (0..20)
        .map(|i| format!("src/a.rs:{i}:    let x = {i};\n"))
        .collect();
    assert_eq!(kinds(&hits), [Kind::Search]);
    let syscalls: String = (0..20)
        .map(|i| format!("openat(AT_FDCWD, \"/lib/{i}\", O_RDONLY) = -1 ENOENT (No such file)\n"))
        .collect();
    assert_ne!(kinds(&syscalls), [Kind::Plain]);
}
