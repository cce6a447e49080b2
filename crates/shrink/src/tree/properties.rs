//! Property tests: generated trees, drawn in every style by independent code.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::shrinking::check;

/// A folder with its entries, or a file.
#[derive(Debug, Clone)]
struct Item {
    name: String,
    inside: Option<Vec<Item>>,
}

fn usual_name() -> impl Strategy<Value = String> {
    let stems = select(vec![
        "a", "b", "lib", "main", "index", "README", "test_a", "test_b", "x-1", "x-10", "_x", "Zed",
    ]);
    let endings = select(vec![
        "", "", ".rs", ".rs", ".md", ".test.ts", "_test.go", ".d.ts",
    ]);
    (stems, endings).prop_map(|(stem, ending)| format!("{stem}{ending}"))
}

/// Names that look like notation: branches, marks, quotes, patterns.
fn odd_name() -> impl Strategy<Value = String> {
    let known = select(vec![
        "*.rs:",
        "*:",
        "a*b:",
        "a b",
        "\"",
        "\"a\"",
        "a\"b",
        "a,",
        "a, b",
        " a",
        "a ",
        "->",
        "a -> b",
        "├── x",
        "│",
        "-",
        "- x",
        "* x",
        "[DIR] x",
        "ä",
        "日本語",
        "🙂",
        "a\\b",
        "\\",
        "%tree x",
        "%end",
        "a:",
        ":",
        ".",
        "..",
        "a.",
        ".a",
        "a;b",
        "; ",
        "a\tb",
        "\u{a0}",
        "a\rb",
        "📁 x",
        "=",
        "~",
        "in ",
        "a=b",
        "{}",
    ]);
    prop_oneof![known.prop_map(str::to_owned), "[ -.0-~]{1,6}"]
}

fn trees(name: BoxedStrategy<String>) -> impl Strategy<Value = Vec<Item>> {
    let file = name.clone().prop_map(|name| Item { name, inside: None });
    let item = file.prop_recursive(5, 60, 8, move |item| {
        let inside = prop::collection::vec(item, 0..8);
        (name.clone(), inside).prop_map(|(name, inside)| Item {
            name,
            inside: Some(inside),
        })
    });
    prop::collection::vec(item, 1..10)
}

/// Sorts in one of several orders, or not at all.
fn sort(items: &mut [Item], way: usize) {
    items
        .iter_mut()
        .filter_map(|item| item.inside.as_mut())
        .for_each(|inside| sort(inside, way));
    match way {
        0 => {}
        1 => items.sort_by(|a, b| a.name.cmp(&b.name)),
        2 => items.sort_by_key(|item| (item.inside.is_none(), item.name.to_lowercase())),
        3 => items.sort_by_key(|item| (item.inside.is_some(), item.name.clone())),
        _ => items.sort_by_key(|item| std::cmp::Reverse(item.name.clone())),
    }
}

fn draw(items: &[Item], glyphs: [&str; 4], slash: &str, before: &str, out: &mut Vec<String>) {
    for (at, item) in items.iter().enumerate() {
        let last = at + 1 == items.len();
        let mark = if item.inside.is_some() { slash } else { "" };
        let start = glyphs[usize::from(last)];
        out.push(format!("{before}{start}{}{mark}", item.name));
        let before = format!("{before}{}", glyphs[2 + usize::from(last)]);
        draw(
            item.inside.as_deref().unwrap_or_default(),
            glyphs,
            slash,
            &before,
            out,
        );
    }
}

fn indent(items: &[Item], step: &str, marks: [&str; 2], before: &str, out: &mut Vec<String>) {
    for item in items {
        let mark = marks[usize::from(item.inside.is_none())];
        out.push(format!("{before}{mark}{}", item.name));
        let before = format!("{before}{step}");
        indent(
            item.inside.as_deref().unwrap_or_default(),
            step,
            marks,
            &before,
            out,
        );
    }
}

fn paths(items: &[Item], separator: &str, folders: bool, before: &str, out: &mut Vec<String>) {
    for item in items {
        let path = format!("{before}{}", item.name);
        match &item.inside {
            None => out.push(path),
            Some(inside) => {
                if folders {
                    out.push(path.clone());
                }
                paths(
                    inside,
                    separator,
                    folders,
                    &format!("{path}{separator}"),
                    out,
                );
            }
        }
    }
}

fn list(items: &[Item], path: &str, out: &mut Vec<String>) {
    out.push(format!("{path}:"));
    out.extend(items.iter().map(|item| item.name.clone()));
    for item in items {
        if let Some(inside) = &item.inside {
            out.push(String::new());
            list(inside, &format!("{path}/{}", item.name), out);
        }
    }
}

/// All drawings of a tree, with their kinds.
fn drawings(items: &[Item]) -> Vec<(Kind, String)> {
    let glyphs = [
        ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "],
        ["├── ", "└── ", "│   ", "    "],
        ["|-- ", "`-- ", "|   ", "    "],
        ["├─ ", "└─ ", "│  ", "   "],
        ["+--- ", "\\--- ", "|    ", "     "],
    ];
    let mut texts = Vec::new();
    for glyphs in glyphs {
        for (slash, tail) in [("", "\n\n7 directories, 9 files"), ("/", "")] {
            let mut lines = vec![".".to_owned()];
            draw(items, glyphs, slash, "", &mut lines);
            texts.push((Kind::Tree, lines.join("\n") + tail));
            texts.push((Kind::Tree, lines[1..].join("\n")));
        }
    }
    for step in ["  ", "    ", "\t"] {
        for marks in [["", ""], ["- ", "- "], ["📁 ", "📄 "]] {
            let mut lines = Vec::new();
            indent(items, step, marks, "", &mut lines);
            texts.push((Kind::Tree, lines.join("\n")));
        }
    }
    for (separator, before) in [
        ("/", ""),
        ("/", "/home/me/"),
        ("/", "./"),
        ("\\", "C:\\x\\"),
    ] {
        for folders in [false, true] {
            let mut lines = Vec::new();
            paths(items, separator, folders, before, &mut lines);
            texts.push((Kind::Paths, lines.join("\n")));
            lines.sort();
            texts.push((Kind::Paths, lines.join("\n")));
        }
    }
    let mut lines = Vec::new();
    list(items, ".", &mut lines);
    texts.push((Kind::Paths, lines.join("\n")));
    let marked = items.iter().map(|item| match item.inside {
        Some(_) => format!("[DIR] {}", item.name),
        None => format!("[FILE] {}", item.name),
    });
    texts.push((Kind::Paths, marked.collect::<Vec<_>>().join("\n")));
    // Without children it is a list of objects rather than a tree.
    if items.iter().any(|item| {
        item.inside
            .as_ref()
            .is_some_and(|inside| !inside.is_empty())
    }) {
        let usual = ["name", "type", "children"];
        let array = json(items, usual, None);
        texts.push((
            Kind::Json,
            json(items, ["label", "kind", "items"], Some("/x")),
        ));
        texts.push((
            Kind::Json,
            format!(r#"{{"ok":true,"tree":{array},"n":1e2}}"#),
        ));
        let root = format!(r#"{{"name":"/x","type":"directory","children":{array}}}"#);
        texts.push((Kind::Json, root));
        texts.push((Kind::Json, array));
    }
    texts
}

fn json(items: &[Item], keys: [&str; 3], path: Option<&str>) -> String {
    let objects = items.iter().map(|item| {
        let name = linkspan_wire::quote(&item.name);
        let whole = path.map(|path| format!("{path}/{}", item.name));
        let mut members = vec![format!("{:?}: {name}", keys[0])];
        if let Some(whole) = &whole {
            members.push(format!("\"path\": {}", linkspan_wire::quote(whole)));
        }
        match &item.inside {
            None => members.push(format!("{:?}: \"file\"", keys[1])),
            Some(inside) => {
                members.push(format!("{:?}: \"directory\"", keys[1]));
                members.push(format!(
                    "{:?}: {}",
                    keys[2],
                    json(inside, keys, whole.as_deref())
                ));
            }
        }
        format!("{{{}}}", members.join(", "))
    });
    format!("[{}]", objects.collect::<Vec<_>>().join(",\n"))
}

/// The number of drawings with candidates at every level, after a round trip, and the number of drawings.
fn candidates(items: &[Item]) -> (usize, usize) {
    let texts = drawings(items);
    let mut found = 0;
    for (kind, text) in &texts {
        let all = Level::ALL.into_iter().all(|level| {
            let context = Context {
                level,
                vocabulary: linkspan_tokens::Vocabulary::Estimate,
                ..Context::default()
            };
            check(text, *kind, &context).unwrap() > 0
        });
        found += usize::from(all);
    }
    (found, texts.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn usual_trees_are_restored_from_every_drawing(
        mut items in trees(usual_name().boxed()),
        way in 0..5usize,
    ) {
        sort(&mut items, way);
        let (found, all) = candidates(&items);
        prop_assert!(found == all, "{found} of {all}");
    }

    #[test]
    fn irregular_names_are_restored_or_have_no_short_form(
        mut items in trees(prop_oneof![usual_name(), odd_name()].boxed()),
        way in 0..5usize,
    ) {
        sort(&mut items, way);
        let (found, all) = candidates(&items);
        prop_assert!(found * 3 > all, "{found} of {all}");
    }

    #[test]
    fn arbitrary_lines_are_restored_or_have_no_short_form(
        lines in prop::collection::vec(prop_oneof![
            select(vec!["", " ", "├── a", "│   └── b", "    a", "a/", "a:", "- a", "./a/b", "/", "a//b", "\t"])
                .prop_map(str::to_owned),
            odd_name(),
        ], 0..20),
    ) {
        for kind in [Kind::Tree, Kind::Paths] {
            for level in Level::ALL {
                let context = Context { level, ..Context::default() };
                check(&lines.join("\n"), kind, &context).map_err(|e| TestCaseError::fail(e.to_string()))?;
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        head in prop_oneof![Just("one line per folder; find sorted bytes; in ."), Just("one entry per line; box")],
        body in "(\"|a|b/|/| |\n|,|\\*|:|\\.|x){0,40}",
    ) {
        let _ = decode(head, &body);
    }
}
