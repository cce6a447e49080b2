//! Texts as tools return them, one of each kind.
//!
//! They are generated, and the same in every run.

use std::fmt::Write;

use serde_json::{Value, json};

/// A text, and how exactly it must be restored.
pub struct Sample {
    pub name: &'static str,
    pub text: String,
    /// White space outside of strings and the escapes in strings may differ.
    pub is_json: bool,
}

/// One sample of each kind with a short form.
pub fn all() -> Vec<Sample> {
    let bytes = |name, text: String| Sample {
        name,
        text,
        is_json: false,
    };
    let json = |name, text: String| Sample {
        name,
        text,
        is_json: true,
    };
    vec![
        json("rows", rows(60)),
        json("orders", orders(30)),
        json("irregular", irregular()),
        json("odd numbers and repeated keys", odd_json()),
        json("lines of JSON", ndjson(60)),
        json("directory tree as JSON", directory_tree()),
        bytes("tree", tree()),
        bytes("paths", paths(80)),
        bytes("search", search(80)),
        bytes("cat -n", numbered(120, |n, line| format!("{n:6}\t{line}"))),
        bytes("arrows", numbered(120, |n, line| format!("{n:6}→{line}"))),
        bytes("log", log(120)),
        bytes("log with CR LF", log(120).replace('\n', "\r\n")),
        bytes("diff", diff(12)),
        bytes("Markdown table", markdown(40)),
        bytes("CSV", csv(60, ',')),
        bytes("TSV", csv(60, '\t')),
    ]
}

const NAMES: [&str; 7] = ["Ada", "Bø", "Chidi", "Dolores", "Émile", "Fatou", "Grace"];
const CITIES: [&str; 5] = ["Rotterdam", "Gdańsk", "Valparaíso", "Mombasa", "Ōsaka"];
const FOLDERS: [&str; 6] = ["hull", "deck", "engine", "bridge", "cargo", "galley"];
const FILES: [&str; 6] = ["plan", "parts", "crew", "log_book", "weights", "valves"];

fn of<'a>(list: &[&'a str], i: usize) -> &'a str {
    list[i % list.len()]
}

/// Objects of the same shape, pretty-printed.
pub fn rows(count: usize) -> String {
    let row = |i: usize| {
        json!({
            "id": 4000 + i,
            "name": format!("{} {}", of(&NAMES, i), of(&CITIES, i / 2)),
            "email": format!("{}.{i}@quay.example", of(&NAMES, i).to_lowercase()),
            "active": !i.is_multiple_of(3),
            "berth": format!("north/{:03}", i * 7),
            "city": of(&CITIES, i),
            "arrived": format!("2025-03-{:02}T08:{:02}:00Z", i % 28 + 1, i % 60),
            "draught": format!("{}.{}", i % 9 + 3, i % 10).parse::<f64>().unwrap_or(0.0),
        })
    };
    pretty(&Value::from_iter((0..count).map(row)))
}

/// Objects that contain objects and arrays of objects.
pub fn orders(count: usize) -> String {
    let order = |i: usize| {
        let item = |n: usize| json!({"sku": format!("BOLT-{:04}", i * 3 + n), "pieces": n * 4 + 1, "price": 250 + n});
        json!({
            "order": format!("A-{:05}", i),
            "customer": {"name": of(&NAMES, i), "address": {"city": of(&CITIES, i), "zip": 1000 + i}},
            "items": (0..i % 3 + 1).map(item).collect::<Vec<_>>(),
            "paid": i.is_multiple_of(2),
            "note": Value::Null,
        })
    };
    pretty(&json!({"orders": (0..count).map(order).collect::<Vec<_>>(), "total": count}))
}

fn irregular() -> String {
    let part = |i: usize| match i % 4 {
        0 => json!({"kind": "crane", "reach": i, "load": {"max": i * 100, "unit": "kg"}}),
        1 => json!({"kind": "shed", "doors": [1, 2, [3, {"deep": true}]], "roof": Value::Null}),
        2 => json!([i, "loose", false, {"end": {}}]),
        _ => json!({"kind": "buoy", "light": "Fl(2) 10s", "text": "two\nlines, \"quoted\""}),
    };
    pretty(
        &json!({"quay": (0..24).map(part).collect::<Vec<_>>(), "checked": "yes", "by": {"whom": []}}),
    )
}

/// JSON that a careless parser would change.
fn odd_json() -> String {
    let mut text = "[\n".to_owned();
    for i in 0..40 {
        let comma = if i < 39 { "," } else { "" };
        let _ = writeln!(
            text,
            "  {{ \"n\": {i}.50, \"big\": 12345678901234567890{i:02}, \"e\": 1E+{i}, \"z\": -0, \
             \"twice\": 1, \"twice\": \"\\u0041/{i}\", \"ø\": \"\\ud83d\\udea2\", \"\": [ ] }}{comma}"
        );
    }
    text + "]\n"
}

pub fn ndjson(count: usize) -> String {
    let line = |i: usize| json!({"time": 1_700_000_000 + i, "level": "info", "unit": of(&FOLDERS, i), "message": format!("valve {i} opened"), "ok": true});
    (0..count).map(|i| format!("{}\n", line(i))).collect()
}

/// Output of the filesystem server's `directory_tree`.
pub fn directory_tree() -> String {
    let file = |i: usize| json!({"name": format!("{}_{i}.rs", of(&FILES, i)), "type": "file"});
    let folder = |i: usize| json!({"name": of(&FOLDERS, i), "type": "directory", "children": (0..12).map(file).collect::<Vec<_>>()});
    pretty(&Value::from_iter((0..FOLDERS.len()).map(folder)))
}

/// Output of `tree`.
pub fn tree() -> String {
    let mut text = ".\n".to_owned();
    for (i, folder) in FOLDERS.iter().enumerate() {
        let last = i + 1 == FOLDERS.len();
        let (branch, bar) = if last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        let _ = writeln!(text, "{branch}{folder}");
        for n in 0..14 {
            let branch = if n == 13 { "└── " } else { "├── " };
            let _ = writeln!(text, "{bar}{branch}{}_{n}.rs", of(&FILES, n));
        }
    }
    text + "\n6 directories, 84 files\n"
}

pub fn paths(count: usize) -> String {
    (0..count)
        .map(|i| {
            format!(
                "/home/ada/harbour/src/{}/{}_{i}.rs\n",
                of(&FOLDERS, i / 14),
                of(&FILES, i)
            )
        })
        .collect()
}

/// Output of ripgrep with absolute paths.
pub fn search(count: usize) -> String {
    (0..count)
        .map(|i| {
            let (folder, file) = (of(&FOLDERS, i / 15), of(&FILES, i / 5));
            format!(
                "/home/ada/harbour/src/{folder}/{file}.rs:{}:    let valve_{i} = open(\"{folder}:{i}\");\n",
                i % 5 * 13 + 7
            )
        })
        .collect()
}

pub fn code(count: usize) -> Vec<String> {
    (0..count)
        .map(|i| match i % 6 {
            0 => format!("fn load_{i}(hull: &mut Hull) -> Result<(), Error> {{"),
            1 => format!("    let crates = hull.hold({i})?;"),
            2 => "    for one in crates.iter() {".to_owned(),
            3 => format!("        one.lash(\"rope: {i}\")?;"),
            4 => "    }".to_owned(),
            _ => "}".to_owned(),
        })
        .collect()
}

fn numbered(count: usize, line: impl Fn(usize, &str) -> String) -> String {
    let lines = code(count);
    let lines = lines.iter().enumerate();
    lines.map(|(i, text)| line(i + 1, text) + "\n").collect()
}

pub fn log(count: usize) -> String {
    (0..count)
        .map(|i| {
            let at = format!(
                "2025-03-14T08:{:02}:{:02}.{:03}Z",
                i / 30,
                i % 30 * 2,
                i * 37 % 1000
            );
            match i % 4 {
                0 => format!(
                    "{at} INFO  harbour::lock: ship {} enters lock {}\n",
                    300 + i,
                    i % 3
                ),
                1 => format!(
                    "{at} INFO  harbour::lock: gate {} closed after {} ms\n",
                    i % 3,
                    i * 11
                ),
                2 => format!(
                    "{at} DEBUG harbour::pump: pump {} at {} rpm\n",
                    i % 5,
                    900 + i
                ),
                _ => format!("{at} WARN  harbour::tide: water {} cm above mark\n", i % 40),
            }
        })
        .collect()
}

/// Output of `git diff`.
pub fn diff(files: usize) -> String {
    let mut text = String::new();
    for i in 0..files {
        let path = format!("src/{}/{}_{i}.rs", of(&FOLDERS, i), of(&FILES, i));
        let _ = writeln!(text, "diff --git a/{path} b/{path}");
        let _ = writeln!(
            text,
            "index {:07x}..{:07x} 100644",
            i * 7919 + 99_991,
            i * 104_729 + 1
        );
        let _ = writeln!(text, "--- a/{path}\n+++ b/{path}");
        let _ = writeln!(text, "@@ -{0},5 +{0},5 @@ fn stow() {{", i * 10 + 4);
        text.push_str(" fn stow() {\n-    lash(1);\n+    lash(2);\n     check();\n }\n \n");
    }
    text
}

pub fn markdown(count: usize) -> String {
    let mut text = "| ship             | berth      | tonnes   | state        |\n\
                    |------------------|------------|---------:|--------------|\n"
        .to_owned();
    for i in 0..count {
        let ship = format!("{} of {}", of(&NAMES, i), of(&CITIES, i));
        let _ = writeln!(
            text,
            "| {ship:<16} | {:<10} | {:>8} | {:<12} |",
            format!("north {i}"),
            i * 1234,
            "moored"
        );
    }
    text
}

pub fn csv(count: usize, separator: char) -> String {
    let mut text = "id,name,city,arrived,state\n".to_owned();
    for i in 0..count {
        let (name, city) = (of(&NAMES, i), of(&CITIES, i));
        let _ = writeln!(
            text,
            "{},{name},{city},2025-03-{:02},moored at quay",
            7000 + i,
            i % 28 + 1
        );
    }
    text.replace(',', &separator.to_string())
}

/// A text that has no short form.
pub fn prose() -> String {
    "The tide had turned while nobody was watching, and what had been a quay was now a ledge \
     above a long fall of dark water. Somebody had left a lamp burning in the pilot's office. \
     It threw a square of yellow on the stones, and in that square a cat sat, licking one paw, \
     as if the sea were no concern of hers; and why should it be? Ships came, and ships went, \
     but herring was herring in every weather that she had known. Further out a bell rang twice. \
     Then the rain began, softly at first, feeling its way across the roofs of the sheds, down \
     gutters that had not been mended since the war, into barrels which overflowed by midnight. \
     By then even the harbour master slept, his ledger open before him, a pen in his loose hand, \
     and the last line of the day unfinished, as most of his last lines were in those years."
        .to_owned()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value can be printed")
}
