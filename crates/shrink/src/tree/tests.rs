//! Every known drawing, before and after.

use super::*;
use crate::shrinking::check;

fn at(level: Level) -> Context {
    Context {
        level,
        ..Context::default()
    }
}

/// The first candidate as transmitted, after a round trip of all candidates.
fn short(text: &str, kind: Kind, level: Level) -> String {
    let context = at(level);
    check(text, kind, &context).unwrap();
    let first = encode(text, kind, &context).into_iter().next();
    first.map_or_else(String::new, |one| format!("{}\n{}", one.head, one.body))
}

const TREE: &str = "\
.
├── Cargo.toml
├── docs
│\u{a0}\u{a0} └── guide.md
├── README.md
└── src
    ├── lib.rs
    ├── net
    │\u{a0}\u{a0} ├── tcp.rs
    │\u{a0}\u{a0} └── udp.rs
    └── main.rs

3 directories, 7 files";

#[test]
fn at_the_safe_level_a_tree_has_one_entry_per_line() {
    let safe = "\
one entry per line; tree; in .; 3 directories, 7 files
Cargo.toml
docs/
  guide.md
README.md
src/
  lib.rs
  net/
    tcp.rs
    udp.rs
  main.rs";
    assert_eq!(short(TREE, Kind::Tree, Level::Safe), safe);
}

#[test]
fn unsorted_entries_keep_their_order() {
    let balanced = "\
one line per folder; tree sorted lower; in .; 3 directories, 7 files
Cargo.toml docs/guide.md README.md
src/ lib.rs
 net/ tcp.rs udp.rs
 main.rs";
    assert_eq!(short(TREE, Kind::Tree, Level::Balanced), balanced);
}

#[test]
fn files_of_a_sorted_tree_are_together() {
    let sorted = TREE.replace("└── main.rs", "└── zero.rs");
    let balanced = "\
one line per folder; tree sorted lower; in .; 3 directories, 7 files
Cargo.toml docs/guide.md README.md
src/ lib.rs zero.rs
 net/ tcp.rs udp.rs";
    assert_eq!(short(&sorted, Kind::Tree, Level::Balanced), balanced);
}

/// The body at the highest level, after a round trip at every level.
fn body(text: &str, kind: Kind) -> String {
    for level in Level::ALL {
        assert_ne!(check(text, kind, &at(level)), Ok(0), "{text}");
    }
    let short = short(text, kind, Level::Max);
    short.split_once('\n').unwrap_or_default().1.to_owned()
}

fn lines(lines: &[&str]) -> String {
    lines.join("\n")
}

#[test]
fn shared_extensions_are_written_once() {
    let text = "src/a.rs\nsrc/b.rs\nsrc/c.rs\nsrc/d.rs\nsrc/e.rs\nsrc/x.md\ntop.txt";
    assert_eq!(
        body(text, Kind::Paths),
        "top.txt\nsrc/ x.md *.rs: a b c d e"
    );
}

#[test]
fn stems_with_the_same_extensions_are_written_once() {
    let names = ["a", "b", "c", "d"].map(|stem| format!("x/{stem}.c\nx/{stem}.h"));
    let text = format!("{}\nz", names.join("\n"));
    assert_eq!(body(&text, Kind::Paths), "z\nx/ *.{c,h}: a b c d");
}

#[test]
fn consecutive_numbers_are_a_range() {
    let names: Vec<_> = (8..=12).map(|n| format!("img_{n:03}.png")).collect();
    assert_eq!(body(&names.join("\n"), Kind::Paths), "img_*.png: 008..012");
}

#[test]
fn folders_with_equal_contents_share_a_line() {
    let paths = ["de", "en", "fr"].map(|tongue| format!("{tongue}/a.json\n{tongue}/b.json"));
    let text = format!("{}\nit/a.json", paths.join("\n"));
    assert_eq!(
        body(&text, Kind::Paths),
        "it/a.json\n{de,en,fr}/ a.json b.json"
    );
}

#[test]
fn the_most_common_extension_may_be_omitted() {
    let text = "a/b.rs\na/x/c.rs\na/x/d.rs\ne.rs\nf/g.rs\nMakefile\nREADME.md";
    let context = at(Level::Max);
    let all = encode(text, Kind::Paths, &context);
    let with_ending = all.iter().find(|one| one.head.contains("end in .rs"));
    let body = &with_ending.unwrap().body;
    assert_eq!(body, "e f/g \"Makefile\" README.md\na/ b\n x/ c d");
}

#[test]
fn unsorted_paths_repeat_their_folder() {
    let text = "/x/a/b/1\n/x/a/b/2\n/x/c\n/x/a/b/3\n/x/a/d/1";
    let text = short(text, Kind::Paths, Level::Balanced);
    assert_eq!(
        text,
        "one line per folder; paths sorted bytes; in /x/\na/b/ 1 2\nc\na/ b/3 d/1"
    );
}

#[test]
fn find_lists_folders_above_their_contents() {
    let text = "./src\n./src/z.rs\n./src/a.rs\n./tests\n./b.md";
    let expected = "one line per folder; find; in ./\nsrc/ z.rs a.rs\ntests b.md";
    assert_eq!(short(text, Kind::Paths, Level::Balanced), expected);
}

#[test]
fn ambiguous_names_are_quoted() {
    let text = lines(&["*.rs:", "a b", "\"c\"", "d/", "{e}", "f\tg", "h", "i -> j"]);
    let expected = r#""*.rs:" "a b" "\"c\"" d/ "{e}" "f\tg" h "i -> j""#;
    assert_eq!(body(&text, Kind::Tree), expected);
}

#[test]
fn every_style_of_branches_is_restored() {
    let text = TREE.replace('\u{a0}', " ");
    let others = [
        ("├── ", "|-- "),
        ("├── ", "├─ "),
        ("├── ", "┣━━ "),
        ("├── ", "+-- "),
        ("├── ", "+--- "),
        ("├── ", "├───"),
    ];
    body(&text, Kind::Tree);
    for (_, other) in others {
        let (elbow, pipe, blank) = match other {
            "|-- " => ("`-- ", "|   ", "    "),
            "├─ " => ("└─ ", "│  ", "   "),
            "┣━━ " => ("┗━━ ", "┃   ", "    "),
            "+-- " => ("\\-- ", "|   ", "    "),
            "+--- " => ("\\--- ", "|    ", "     "),
            _ => ("└───", "│   ", "    "),
        };
        let text = text
            .replace("│   ", "<pipe>")
            .replace("    ", blank)
            .replace("<pipe>", pipe);
        let text = text.replace("├── ", other).replace("└── ", elbow);
        body(&text, Kind::Tree);
    }
}

#[test]
fn npm_marks_entries_with_children() {
    let text = "app@1.0.0 /x\n├─┬ a@1.0.0\n│ ├── b@2.0.0 deduped\n│ └── @c/d@3.0.0\n└── e@4.0.0";
    assert_eq!(
        body(text, Kind::Tree),
        "e@4.0.0\na@1.0.0/ \"b@2.0.0 deduped\" @c/d@3.0.0"
    );
}

#[test]
fn a_truncated_tree_is_restored() {
    let whole: Vec<_> = TREE.lines().collect();
    for end in 3..whole.len() - 1 {
        body(&whole[..end].join("\n"), Kind::Tree);
    }
}

#[test]
fn marks_and_full_paths_are_not_part_of_names() {
    let text = "📁 app\n├── 📁 src/\n│   └── 📄 a.rs\n└── 📄 b.md";
    assert_eq!(body(text, Kind::Tree), "src/a.rs b.md");
    let text = ".\n├── ./src\n│   └── ./src/a.rs\n└── ./z";
    assert_eq!(body(text, Kind::Tree), "src/a.rs z");
    let text = ".\n├── [drwxr-xr-x]  src\n│   └── [-rw-r--r--]  a.rs\n└── [drwxr-xr-x]  z";
    assert_eq!(body(text, Kind::Tree), "src/a.rs z/");
    assert_eq!(
        body("[DIR] src\n[FILE] a.rs\n[DIR] b", Kind::Paths),
        "src/\na.rs b/"
    );
}

#[test]
fn names_that_form_a_pattern_together_are_restored() {
    assert_eq!(body("x/a\nx/*/:", Kind::Paths), "a */\":\"");
}

#[test]
fn directory_listings_are_restored() {
    let text = ".:\na.rs\nempty\nsrc\nz.rs\n\n./empty:\n\n./src:\nb.rs\nc.rs";
    assert_eq!(body(text, Kind::Paths), "a.rs empty/ z.rs\nsrc/ b.rs c.rs");
}

#[test]
fn a_folder_tree_in_json_is_restored() {
    let text = r#"[
      {"name": "a.rs", "type": "file"},
      {"name": "src", "type": "directory", "children": [
        {"name": "b \u00e9.rs", "type": "file"},
        {"name": "empty", "type": "directory", "children": []}
      ]}
    ]"#;
    assert_eq!(body(text, Kind::Json), "a.rs\nsrc/ \"b é.rs\" empty/");
    let text = r#"{"items": [{"items": [], "name": "b", "path": "/x/a/b", "size": 1e0}], "name": "a", "path": "/x/a", "size": 1e0}"#;
    assert_eq!(body(text, Kind::Json), "b");
}

#[test]
fn the_object_around_a_folder_tree_in_json_is_restored() {
    let text =
        r#"{"ok": true, "data": [{"name": "a", "items": [{"name": "b", "items": []}]}], "n": 1.0}"#;
    let head = r#"one line per folder; json around {"ok":true,"data":[*],"n":1.0} each {"name":*,"items":[*]} sorted bytes"#;
    assert_eq!(short(text, Kind::Json, Level::Max), format!("{head}\na/b"));
    let text = r#"[{"type": "directory", "name": ".", "contents": [{"type": "file", "name": "a"}]},
        {"type": "report", "directories": 1, "files": 1}]"#;
    let short = short(text, Kind::Json, Level::Max);
    assert!(
        short.ends_with("; {\"type\": \"report\", \"directories\": 1, \"files\": 1}\n./a"),
        "{short}"
    );
    let text = r#"{"path": "/x", "name": "x", "root": true, "children": [
        {"path": "/x/a", "name": "a", "children": [{"path": "/x/a/b", "name": "b"}]}]}"#;
    assert_eq!(body(text, Kind::Json), "a/b");
}

#[test]
fn other_json_is_not_a_tree() {
    for text in [
        "[]",
        "{}",
        "1",
        "[1]",
        "[{}]",
        r#"{"name":"a"}"#,
        r#"[{"name":"a","type":"x"}]"#,
        r#"[{"name":"a","children":[{"id":1}]}]"#,
        r#"[{"name":"a","children":[1]}]"#,
        r#"[{"name":"a","children":[{"name":"b","children":{}}]}]"#,
        r#"[{"name":"a","children":[{"name":"\ud800","children":[]}]}]"#,
        r#"[{"name":"a","children":[{"name":"b","children":[]}]}"#,
        r#"[{"name":"a","children":[{"name":"b","children":[]}]}] x"#,
        r#"[{"name":"a","children":[{"name":"b","children":[],}]}]"#,
    ] {
        assert_eq!(encode(text, Kind::Json, &at(Level::Max)), [], "{text}");
    }
}

#[test]
fn a_short_text_cannot_expand_without_limit() {
    let deep = "{a,b}/".repeat(60);
    let wide = format!("{}\n", "x* :".repeat(20));
    for body in [
        &*deep,
        &wide,
        "p*.{a,b,c,d,e,f,g,h,i}: 1..100 1..100",
        "*x: 1..999999999999",
    ] {
        for head in [
            "one line per folder; paths",
            "one line per folder; json",
            "one line per folder; box",
        ] {
            if let Ok(long) = decode(head, body) {
                assert!(long.len() <= body.len() * 128);
            }
        }
    }
}

#[test]
fn malformed_bodies_are_refused() {
    let head = "one line per folder; box; in .";
    for body in [
        " a",
        "a/\n   b",
        "a/\n\nb",
        "\"a",
        "a  b",
        "a ",
        "*.rs: a/b",
        "*.rs: a/",
        "{a",
        "{a,b}",
        "a//b",
        "/",
    ] {
        assert!(decode(head, body).is_err(), "{body}");
    }
    for head in [
        "",
        "one line",
        "one line per folder",
        "one line per folder; star",
        "one line per folder; box sorted",
    ] {
        assert!(decode(head, "a").is_err(), "{head}");
    }
}

#[test]
fn a_cancelled_call_returns_nothing() {
    let context = at(Level::Max);
    context.stop.set();
    assert_eq!(encode(TREE, Kind::Tree, &context), []);
}
