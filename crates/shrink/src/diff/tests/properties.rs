use proptest::prelude::*;

use super::*;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => " {0,8}(let|self\\.|return) [a-c]{1,2} = [a-c]{1,2}\\([a-d], [a-d]\\)\\.[a-b]{1,3}\\(\"x y\"\\);",
        2 => Just(String::new()),
        1 => "\t{1,3}[a-z]{0,3}",
        1 => prop::sample::select(vec![
            "{+", "+}", "[-", "-]", "-]{+", "=== x", "@@ +1", "@@ -1 +1 @@", "|", "~", "!", "-- ", "++ b/x",
            "-- a/x", "a[-b", "a{+b+}", "\\", "%diff x", "\r",
        ]).prop_map(str::to_owned),
        1 => "[^\n]{0,10}",
    ]
}

/// A hunk: its distance from the previous one, the text behind its counts, and its lines.
type Lines = (u64, String, Vec<(u8, String, String)>);

fn hunks() -> impl Strategy<Value = Vec<Lines>> {
    let line = (0_u8..24, texts(), texts());
    let lines = prop::collection::vec(line, 1..14);
    let tail = prop_oneof![
        2 => Just(String::new()), 2 => Just(" fn main() {".to_owned()), 1 => Just(" ...".to_owned()),
        1 => " [^\n]{0,8}", 1 => Just(" @@ x".to_owned()),
    ];
    prop::collection::vec((1_u64..200, tail, lines), 1..4)
}

/// The lines of a hunk; a changed line differs from the old one in one place.
fn hunk(lines: &[(u8, String, String)]) -> Vec<String> {
    let mut out = Vec::new();
    for (kind, text, other) in lines {
        match kind {
            0..5 => out.push(format!(" {text}")),
            5..8 => out.push(format!("-{text}")),
            8..11 => out.push(format!("+{text}")),
            11..14 => out.extend([format!("-{text}"), format!("+{}", text.replace('a', "b"))]),
            14 => out.extend([
                format!("-{text}"),
                format!("-{other}"),
                format!("+{}", text.replace("x y", "z")),
            ]),
            15..17 => out.extend((0..6).map(|n| format!("+{n}{text}"))),
            17 => out.extend((0..6).map(|n| format!("-{n}{text}"))),
            18 => out.push(String::new()),
            19 => out.push("\\ No newline at end of file".to_owned()),
            _ => out.push(format!(" {text}")),
        }
    }
    out
}

fn heads() -> impl Strategy<Value = (u8, String)> {
    let path = prop_oneof![
        4 => "[a-c]{1,3}/[a-c]{1,3}\\.rs", 1 => "[a-c]{1,2} [a-c]{1,2}", 1 => Just("new".to_owned()),
        1 => "[a-f0-9]{7} x", 1 => Just("binary x => y".to_owned()), 1 => "[^\n\t]{1,8}",
    ];
    (0_u8..16, path)
}

fn file(style: u8, kind: u8, path: &str, hunks: &[Lines]) -> String {
    let (old, new) = match style {
        0..3 => ("a/", "b/"),
        3 => ("", ""),
        4 => ("one-1.0/", "two-2.0/"),
        _ => ("a/", "b/"),
    };
    let mut out = Vec::new();
    let stamps = if style > 3 {
        ("\t2026-01-02", "\t2026-01-03")
    } else {
        ("", "")
    };
    let (mut from, mut to) = (format!("{old}{path}"), format!("{new}{path}"));
    match (style, kind) {
        (0..4, _) => {
            out.push(format!("diff --git {from} {to}"));
            match kind {
                0 => out
                    .extend(["new file mode 100644", "index 0000000..1a2b3c4"].map(str::to_owned)),
                1 => out.extend(
                    ["deleted file mode 100755", "index 1a2b3c4..0000000"].map(str::to_owned),
                ),
                2 => out.extend(["old mode 100644", "new mode 100755"].map(str::to_owned)),
                3 => out.extend([
                    "similarity index 90%".to_owned(),
                    format!("rename from {path}"),
                    format!("rename to {path}"),
                    "index 1a2b3c4..1a2b3c5".to_owned(),
                ]),
                4 => out.push("index 1a2b3c4..1a2b3c5 100755".to_owned()),
                _ => out.push("index 1a2b3c4..1a2b3c5 100644".to_owned()),
            }
        }
        (4, _) => out.push(format!("diff -ru {from} {to}")),
        (5, _) => out.extend([format!("Index: {path}"), "=".repeat(67)]),
        (6, _) => out.push(format!("diff -r 1f2e3d {path}")),
        _ => {}
    }
    match kind {
        0 => from = "/dev/null".to_owned(),
        1 => to = "/dev/null".to_owned(),
        5 => {
            out.push(format!("Binary files {from} and {to} differ"));
            return out.join("\n");
        }
        _ => {}
    }
    let tab = if style < 4 && path.contains(' ') {
        "\t"
    } else {
        ""
    };
    out.push(format!("--- {from}{tab}{}", stamps.0));
    out.push(format!("+++ {to}{tab}{}", stamps.1));
    let (mut old_at, mut new_at) = (1, 1);
    for (step, tail, lines) in hunks {
        let lines = hunk(lines);
        let count = |sign: char| {
            let is =
                |line: &&String| line.is_empty() || line.starts_with(' ') || line.starts_with(sign);
            lines.iter().filter(is).count() as u64
        };
        let (olds, news) = (count('-'), count('+'));
        old_at += step;
        new_at += step;
        let side = |at: u64, count: u64| match count {
            0 => format!("{},0", at - 1),
            1 if style != 6 => format!("{at}"),
            count => format!("{at},{count}"),
        };
        out.push(format!(
            "@@ -{} +{} @@{tail}",
            side(old_at, olds),
            side(new_at, news)
        ));
        out.extend(lines);
        old_at += olds;
        new_at += news;
    }
    out.join("\n")
}

/// The output of a tool, and text that may be between its files.
fn diffs() -> impl Strategy<Value = String> {
    let between = prop_oneof![
        5 => Just(String::new()),
        1 => Just("\ncommit 1a2b3c\n\n    words\n\n".to_owned()),
        1 => texts().prop_map(|text| text + "\n"),
    ];
    let files = prop::collection::vec((heads(), hunks(), between), 1..4);
    (0_u8..8, files).prop_map(|(style, files)| {
        let mut out = String::new();
        for ((kind, path), hunks, between) in files {
            out += &file(style, kind, &path, &hunks);
            out.push('\n');
            out += &between;
        }
        out.pop();
        out
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_diff_is_restored(text in diffs()) {
        for level in Level::ALL {
            let made = check(&text, Kind::Diff, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
        }
    }

    #[test]
    fn a_damaged_diff_is_restored(text in diffs(), at_line in any::<prop::sample::Index>(), what in 0_u8..4) {
        let mut lines: Vec<&str> = text.split('\n').collect();
        let index = at_line.index(lines.len());
        match what {
            0 => drop(lines.remove(index)),
            1 => lines.insert(index, lines[index]),
            2 => lines[index] = lines[index].get(1..).unwrap_or(""),
            _ => lines.truncate(index + 1),
        }
        let text = lines.join("\n");
        for level in Level::ALL {
            let made = check(&text, Kind::Diff, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
        }
    }

    #[test]
    fn decode_never_panics(
        head in "=== file; @@ -old \\+new line(; svn|; each \"x\")?(; from \"a\" to \"\")?",
        body in "((=== |@@ |@@ \\+[0-9]|[-+!~| \\\\]|\\{\\+|\\[-|-\\]\\{\\+|\\+\\})?[a-c0-9.:\\[\\]{}+ -]{0,8}\n){0,12}",
    ) {
        if let Ok(text) = decode(&head, &body) {
            prop_assert!(text.len() <= limit(&body) + 1000);
        }
    }
}

#[test]
fn most_generated_diffs_have_a_short_form() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let made = (0..100).filter(|_| {
        let text = diffs().new_tree(&mut runner).unwrap().current();
        check(&text, Kind::Diff, &at(Level::Max)) == Ok(1)
    });
    assert!(made.count() > 80);
}
