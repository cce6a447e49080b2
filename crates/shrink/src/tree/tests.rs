//! Every drawing that is known, before and after.

use super::*;
use crate::shrinking::check;

fn at(level: Level) -> Context {
    Context {
        level,
        ..Context::default()
    }
}

/// The first candidate as it stands on the wire, after all of them came back.
fn short(text: &str, kind: Kind, level: Level) -> String {
    let context = at(level);
    if kind != Kind::Json {
        check(text, kind, &context).unwrap();
    }
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
fn a_tree_has_one_entry_per_line_if_it_is_to_be_safe() {
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
fn what_is_not_sorted_stands_below_what_it_followed() {
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
