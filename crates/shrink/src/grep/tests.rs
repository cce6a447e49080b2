use proptest::prelude::*;

use super::*;
use crate::check;
use crate::context::Level;

fn at(level: Level) -> Context {
    Context {
        level,
        ..Context::default()
    }
}

/// The only candidate, as head and body, after a round trip.
fn short(text: &str, level: Level) -> String {
    let made = encode(text, Kind::Search, &at(level));
    let [one] = made.as_slice() else {
        panic!("{} candidates", made.len());
    };
    assert_eq!(decode(&one.head, &one.body).as_deref(), Ok(text));
    format!("{}\n{}", one.head, one.body)
}

fn assert_restored(text: &str) {
    for level in Level::ALL {
        assert_eq!(check(text, Kind::Search, &at(level)), Ok(1), "{text}");
    }
}

const HITS: &str = "\
/home/me/app/src/main.rs:12:fn main() {
/home/me/app/src/main.rs:20:    run();
/home/me/app/src/net/dial.rs:3:fn dial() {
/home/me/app/src/net/hear.rs:7:fn hear() {
/home/me/app/src/lib.rs:1:mod net;";

#[test]
fn a_file_is_named_once_and_the_root_once() {
    let want = "\
file, then its lines; all below /home/me/app/src/
main.rs
12:fn main() {
20:    run();
net/dial.rs
3:fn dial() {
net/hear.rs
7:fn hear() {
lib.rs
1:mod net;";
    assert_eq!(short(HITS, Level::Balanced), want);
}

#[test]
fn files_of_the_same_folder_have_bare_names_if_there_are_enough() {
    let names = ["dial.rs", "hear.rs", "a.c", "b.c", "c.c", "d.c", "e.c"];
    let more = names.map(|name| format!("/home/me/app/src/net/{name}:7:x"));
    let text = format!("{}\n{HITS}", more.join("\n"));
    let want = "\
file, then its lines; bare names in the folder above; all below /home/me/app/src/
net/dial.rs
7\tx
hear.rs
7\tx
a.c
7\tx
b.c
7\tx
c.c
7\tx
d.c
7\tx
e.c
7\tx
./main.rs
12\tfn main() {
20    run();
net/dial.rs
3\tfn dial() {
hear.rs
7\tfn hear() {
./lib.rs
1\tmod net;";
    assert_eq!(short(&text, Level::Max), want);
    assert_restored(&text);
}

#[test]
fn the_common_extension_and_indentation_are_written_once() {
    let mut lines: Vec<String> = (0..12).map(|n| format!("src/a{n}.rs:7:    x")).collect();
    lines.push("src/Makefile:1:all".to_owned());
    lines.push("src/x.y.rs:2:  two".to_owned());
    lines.push("src/x.toml:3:\tone".to_owned());
    lines.push("src/12.rs:3:5:# ok".to_owned());
    let made = short(&lines.join("\n"), Level::Max);
    let head =
        "file, then its lines; tab is 4 spaces; names end .rs; all below src/\na0\n7\tx\na1\n";
    assert!(made.starts_with(head), "{made}");
    let end = "\nMakefile.\n1:all\nx.y.rs\n2  two\nx.toml\n3:\tone\n./12\n3:5:# ok";
    assert!(made.ends_with(end), "{made}");
    assert_restored(&lines.join("\n"));
}

#[test]
fn a_repeated_text_is_written_once() {
    let text = "\
a.rs:1:    // TODO: remove this again after the next release
a.rs:2:    // TODO: remove this again after the next release
b.rs-3-$1
b.rs-4-    // TODO: remove this again after the next release
b.rs:5:$1
c.rs:6:    // TODO: remove this again after the next release";
    let want = "\
file, then its lines; texts that repeat: $1-$1
$1\t    // TODO: remove this again after the next release
a.rs
1\t$1
2\t$1
b.rs
3-$$1
4-$1
5:$1
c.rs
6\t$1";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn a_column_is_written_unless_the_pattern_implies_it() {
    let text = "a.c:1:5: error: no\na.c:2:5: warning: hm\nb.c:10:17: note: x\n\n3 errors";
    let want = "\
file, then its lines; line:column
a.c
1:5 error: no
2:5 warning: hm
b.c
10:17 note: x

|3 errors";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
    let lines: Vec<String> = (10..22)
        .map(|n| format!("a.rs:{n}:8:let x{n}.await;"))
        .collect();
    let odd = "a.rs:30:14:let x30.await.await\na.rs:31:3:42.await\na.rs:32:x";
    let text = format!("{}\n{odd}", lines.join("\n"));
    let made = short(&text, Level::Max);
    assert!(
        made.starts_with(
            "file, then its lines; column is at \".await\"\na.rs\n10\tlet x10.await;\n"
        ),
        "{made}"
    );
    assert!(
        made.ends_with("\n30:14\tlet x30.await.await\n31:3:42.await\n|a.rs:32:x"),
        "{made}"
    );
    assert_restored(&text);
}

#[test]
fn separators_implied_by_line_numbers_are_omitted() {
    let group = |n: u32| format!("a.rs-{n}-x\na.rs:{}:y", n + 1);
    let groups: Vec<String> = (1..12).map(|n| group(n * 10)).collect();
    let text = groups.join("\n--\n");
    let made = short(&text, Level::Max);
    assert!(made.starts_with("file, then its lines; -- left out\na.rs\n10-x\n11\ty\n20-x\n"));
    assert_restored(&text);
    // But if a separator is missing, or is in an unexpected place, all of them are written.
    for odd in [
        text.replacen("\n--", "", 1),
        text.replacen(":y", ":y\n--", 1),
        format!("--\n{text}"),
        format!("{text}\n--"),
        text.replacen(":y", ":y\nodd", 1),
    ] {
        assert!(
            short(&odd, Level::Max).matches("\n--").count() >= 9,
            "{odd}"
        );
        assert_restored(&odd);
    }
    assert_restored(&text.replacen("\n--", "\nodd", 1));
}

#[test]
fn at_the_safe_level_paths_are_full() {
    let made = short(HITS, Level::Safe);
    assert!(made.starts_with("file, then its lines\n/home/me/app/src/main.rs\n12:fn"));
}

#[test]
fn a_file_outside_of_the_root_is_named_in_full() {
    let text = "/a/b/1.c:1:x\n/a/b/y.c:2:x\n/a/b/z.c:3:x\n/a/b/2/z.c:3:x\n/usr/include/stdio.h:4:x";
    let want = "\
file, then its lines; all below /a/b/
./1.c
1:x
y.c
2:x
z.c
3:x
./2/z.c
3:x
>/usr/include/stdio.h
4:x";
    assert_eq!(short(text, Level::Balanced), want);
    assert_restored(text);
}

#[test]
fn context_lines_belong_to_the_file_of_their_hit() {
    let text = "\
src/2024-01-02.log-9-before
src/2024-01-02.log:10:hit
src/2024-01-02.log-11-after:5:x
--
src/a-1-b.rs-29-}
src/a-1-b.rs:30:hit
src/a-1-b.rs-31-src/2024-01-02.log-9-before";
    let want = "\
file, then its lines; all below src/
./2024-01-02.log
9-before
10:hit
11-after:5:x
--
a-1-b.rs
29-}
30:hit
31-src/2024-01-02.log-9-before";
    assert_eq!(short(text, Level::Balanced), want);
    assert_restored(text);
}

#[test]
fn windows_paths_and_paths_with_colons_and_spaces_are_restored() {
    let text = "\
C:\\work\\app\\a b.rs:12:x
C:\\work\\app\\a b.rs:13:y
C:\\work\\app\\sub\\c.rs:1:5:z
HEAD~1:C:\\work:7:x
HEAD:a/b:c.rs:9:x";
    assert_restored(text);
    let text = "C:\\x\\a.rs:1:p\nC:\\x\\a.rs:2:q\nC:\\x\\b.rs:3:r";
    let want = "file, then its lines; all below C:\\x\\\na.rs\n1\tp\n2\tq\nb.rs\n3\tr";
    assert_eq!(short(text, Level::Max), want);
}

#[test]
fn hits_without_line_numbers_are_below_their_file_too() {
    let text = "src/a.rs:fn a() {\nsrc/a.rs:> quoted\nsrc/a.rs:- item\nsrc/a.rs:\nsrc/b.rs:|x";
    let want = "\
>file, then its lines; all below src/
>a.rs
fn a() {
:> quoted
:- item
:
>b.rs
:|x";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn compiler_messages_are_encoded_like_search_results() {
    let text = "\
src/app.ts(12,5): error TS2304: Cannot find name 'x'.
src/app.ts(14,1): error TS1005: ';' expected.
src/lib.ts(3): error TS1005: ';' expected.";
    let want = "\
file, then its lines; all below src/
app.ts
12,5): error TS2304: Cannot find name 'x'.
14,1): error TS1005: ';' expected.
lib.ts
3): error TS1005: ';' expected.";
    assert_eq!(short(text, Level::Balanced), want);
    assert_restored("a.c:1:5: error: no\na.c:2:5: warning: hm\nb.c:1:1: note: x\n\n3 errors");
    assert_restored("a.rs:12\na.rs:13\nb.rs:1\n");
    assert_restored("a.c:1:x\na.c=2=void f()\na.c:3:y");
}

#[test]
fn an_irregular_line_is_copied() {
    let text = "\
a.rs:1:x
a.rs:1:x
12 matches
|x
>y
a.rs:99999999999:x

--
a.rs:2:y
a.rs:3:y
a.rs:4:y
";
    let want = "\
file, then its lines
a.rs
1\tx
1\tx
|12 matches
||x
|>y
|a.rs:99999999999:x

--
2\ty
3\ty
4\ty
|";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn a_text_that_is_not_a_search_has_no_short_form() {
    for text in [
        "",
        "\n\n",
        "one\ntwo\nthree",
        "a.rs:1:x\na.rs:2:x",
        "a.rs:1:x\nand\nmore\nwords\nthan\nhits",
        "2026-01-02 10:20:30 start\n2026-01-02 10:20:31 run\n2026-01-02 10:20:32 end",
        "key: value\nother: value\nthird: value",
    ] {
        for level in Level::ALL {
            assert_eq!(check(text, Kind::Search, &at(level)), Ok(0), "{text:?}");
        }
    }
}

#[test]
fn a_path_that_expands_beyond_the_limit_is_refused() {
    let path = "d/".repeat(2000);
    let hits: Vec<String> = (0..2000).map(|n| format!("{path}:{n}:")).collect();
    assert_eq!(
        check(&hits.join("\n"), Kind::Search, &at(Level::Max)),
        Ok(0)
    );
    let body = format!("{path}\n{}", "1\n".repeat(100_000));
    assert!(decode("file, then its lines", &body).is_err());
    let body = format!("{}\n1:x", "d".repeat(5000));
    assert!(decode("file, then its lines", &body).is_err());
}

#[test]
fn a_modified_short_form_is_refused() {
    for (head, body) in [
        ("", "a\n1:x"),
        ("file, then its lines, all below x", "a\n1:x"),
        ("file, then its lines", "1:x"),
        ("file, then its lines", "a\n1x"),
        (">file, then its lines", "x"),
    ] {
        assert!(decode(head, body).is_err(), "{head} {body}");
    }
}

fn paths() -> impl Strategy<Value = String> {
    let root = prop_oneof![
        3 => Just("/home/me/app/"),
        3 => Just(""),
        1 => Just("./"),
        1 => Just("C:\\work\\app\\"),
        1 => Just("HEAD:"),
        1 => Just("--"),
    ];
    let folder = prop_oneof![
        3 => Just("src/"), 2 => Just("src/net/"), 1 => Just(""), 1 => Just("a-1-b/"), 1 => Just("x:2:"),
        1 => Just("12/"), 1 => Just("a b/"),
    ];
    let name = prop_oneof![
        3 => Just("main.rs"), 2 => Just("lib.rs"), 1 => Just("2024-01-02.log"), 1 => Just("Makefile"),
        1 => Just("a:b"), 1 => Just("|x"), 1 => Just(">y.c"), 1 => Just("12"), 1 => Just("-"),
    ];
    (root, folder, name).prop_map(|(root, folder, name)| [root, folder, name].concat())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => " {0,8}(fn|let|use|//) [a-z_]{1,8}[;({]?",
        1 => Just(String::new()),
        1 => "[>|:=-]{1,3}[0-9]{0,2}[:-]?.{0,4}",
        1 => "src/main.rs[:-][0-9]{1,3}[:-]x",
        1 => " {0,4}[$]{1,2}[0-9]{0,2}x?",
        2 => " {0,4}fn the same long text that comes again and again",
        1 => "[^\n]{0,10}",
    ]
}

/// The output of a tool: files with hits, context lines, and other lines.
fn outputs() -> impl Strategy<Value = (bool, String)> {
    let line = (0_u8..40, 1_u32..20, texts());
    let file = (paths(), prop::collection::vec(line, 1..8));
    let style = 0_u8..6;
    let files = prop::collection::vec(file, 1..8);
    (style, any::<bool>(), files).prop_map(|(style, around, files)| {
        let mut out = Vec::new();
        let mut plain = 0;
        for (path, lines) in files {
            let mut number = 1;
            for (odd, step, text) in lines {
                number += step;
                out.push(match (odd, style) {
                    (0, _) => text,
                    (1, _) => "--".to_owned(),
                    (2..12, 0) if around => format!("{path}-{number}-{text}"),
                    (_, 0) => format!("{path}:{number}:{text}"),
                    (_, 1) => format!("{path}:{number}:{step}:{text}"),
                    (_, 2) => format!("{path}:{text}"),
                    (_, 3) => format!("{path}:{number}"),
                    (_, 4) => format!("{path}({number},{step}): {text}"),
                    (_, _) => {
                        let column = text.find("fn").map_or(step as usize, |at| at + 1);
                        format!("{path}:{number}:{column}:{text}")
                    }
                });
                plain += usize::from(odd > 1 && !(around && odd < 12));
            }
        }
        let odd = |line: &String| line.starts_with("12");
        let plain = plain >= 3 && plain * 4 > out.len() * 3 && style != 2 && !out.iter().any(odd);
        (plain, out.join("\n"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn tool_output_is_restored((plain, text) in outputs()) {
        for level in Level::ALL {
            let made = check(&text, Kind::Search, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
            // Otherwise the property would be vacuous.
            prop_assert!(!plain || made == Ok(1), "{text}");
        }
    }

    #[test]
    fn any_text_is_restored(text in "([a-c/.\\\\>|-]{0,5}[:=(-]{0,2}[0-9]{0,2}[:,)-]?[a-c ~|:>-]{0,4}\r?\n){0,12}[0-9:a\n]{0,4}") {
        for level in Level::ALL {
            let made = check(&text, Kind::Search, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
        }
    }

    #[test]
    fn decode_never_panics(
        head in ">?file, then its lines(; line:column|; column is at \"a\")?(; texts that repeat: [$]1-[$][0-9])?(; tab is [0-9]{1,2} (spaces|tabs))?(; -- left out)?(; names end .x)?(; bare names in the folder above)?(; all below [a-c/]{1,4})?",
        body in "([$>|./a]{0,4}[0-9]{0,3}[:=\t (-]?[$0-9]{0,2}.{0,4}\n){0,8}",
    ) {
        if let Ok(text) = decode(&head, &body) {
            prop_assert!(text.len() <= limit(&body));
        }
    }
}
