//! Round trips of JSON documents through their short forms.

use linkspan_tokens::Vocabulary;
use proptest::prelude::*;

use crate::context::{Context, Level};
use crate::json::Layout;
use crate::kind::Kind;
use crate::{Kept, Thresholds};

fn context(level: Level) -> Context {
    Context {
        level,
        vocabulary: Vocabulary::Estimate,
        ..Context::default()
    }
}

/// The number of short forms at all levels, after a round trip of each.
fn forms(text: &str, kind: Kind) -> usize {
    let check = |level| crate::check(text, kind, &context(level));
    Level::ALL
        .into_iter()
        .map(|level| check(level).unwrap())
        .sum()
}

fn string() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        4 => "[a-c]{1,3}",
        2 => "https://(a|b)[.]c/(x|y)/[0-9]{1,2}",
        2 => "202[45]-0[1-3]-1[0-9]T0[0-9]:00:0[0-9]Z",
        1 => "(Ann|Bob) (Lee|O'Hara)",
        1 => "(ann|bob)[.](lee|ohara)@x[.]org",
        2 => "[-~=,;:\"\\[\\]{} a1.\n\r\t\x08\x0c\x01*%@!#?|^&\\\\/]{0,5}",
        1 => "(null|true|false|-|0|1e5|01|@1|-0)",
        1 => any::<String>(),
    ];
    text.prop_map(|text| {
        let mut quoted = String::new();
        crate::lexeme::quote(&text, &mut quoted);
        quoted
    })
}

fn spelled() -> impl Strategy<Value = String> {
    prop_oneof![
        30 => string(),
        1 => Just(r#""\ud800""#.to_owned()),
        1 => Just(r#""\u0041\/\u00e9\ud83d\ude00""#.to_owned()),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => spelled(),
        2 => "(0|-0|[1-9][0-9]{0,3}|1500000[0-9]{2})",
        1 => "(1[.]50|1e5|0[.]0[1-3]|-1E[+]2|18446744073709551616|1[.]0)",
        1 => "(true|false|null)",
        1 => Just("[]".to_owned()),
        1 => Just("{}".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => "\"[a-e]\"",
        2 => "\"(id|name|user[.]id|a,b|a:b|a=b|a[?]|a@|@x|[$]ref|#|[|]|[*]|[\\^]x|!|a b| a)\"",
        1 => string(),
        1 => Just(r#""\ud800""#.to_owned()),
    ]
}

fn object(members: Vec<(String, String)>) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{name}:{value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

fn array(elements: Vec<String>) -> String {
    format!("[ {} ]", elements.join(",\n"))
}

/// Objects whose members have a common order, some of them missing.
fn rows(
    value: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = Vec<String>> {
    let names = prop::collection::vec(name(), 1..6);
    names.prop_flat_map(move |names| {
        let row: Vec<_> = names
            .into_iter()
            .map(|name| (prop::bool::weighted(0.9), Just(name), value.clone()))
            .collect();
        let row = row.prop_map(|members| {
            let there = members.into_iter().filter(|(there, ..)| *there);
            object(there.map(|(_, name, value)| (name, value)).collect())
        });
        prop::collection::vec(row, 2..7)
    })
}

fn value() -> impl Strategy<Value = String> {
    scalar().boxed().prop_recursive(3, 40, 6, |inner| {
        prop_oneof![
            3 => rows(inner.clone()).prop_map(array),
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(array),
            1 => prop::collection::vec((name(), inner.clone()), 0..5).prop_map(object),
            1 => (rows(inner.clone()), inner.clone()).prop_map(|(mut rows, odd)| {
                rows.push(odd);
                array(rows)
            }),
            1 => rows(inner.clone()).prop_map(|rows| {
                let named = rows.into_iter().enumerate();
                object(named.map(|(at, row)| (format!("\"k{at}\""), row)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_is_restored(document in value()) {
        prop_assert_eq!(forms(&document, Kind::Json) >= 3, true);
    }

    #[test]
    fn any_lines_are_restored(lines in prop::collection::vec(prop_oneof![5 => value(), 1 => Just(String::new())], 1..6)) {
        let lines: Vec<String> = lines.iter().map(|line| line.replace('\n', " ")).collect();
        prop_assert_eq!(forms(&lines.join("\n"), Kind::Ndjson) >= 3, true);
    }

    #[test]
    fn json_between_sentences_is_restored_byte_for_byte(
        value in value(),
        layout in prop::sample::select(vec![
            "", "2", "4", "tab", "spaced", "flat+ascii", "1+tight+slash", "2+in3+ascii+html",
        ]),
    ) {
        let layout = Layout::parse(layout).unwrap_or_default();
        let printed = layout.print(&super::layout::minified(&value)).unwrap();
        let text = format!("Before it.\n{printed}\nAfter it.\n");
        let thresholds = Thresholds { short: 0, least: 1, percent: 0, ..Thresholds::default() };
        match crate::shrink(&text, &thresholds, &context(Level::Max)) {
            Ok(shrunk) => prop_assert_eq!(crate::decode(&shrunk.text), Ok(text), "{}", shrunk.text),
            Err(why) => prop_assert_ne!(why, Kept::Unfaithful, "{}", text),
        }
    }

    #[test]
    fn any_head_and_body_are_read_without_a_panic(
        head in "([0-9]{1,20} (rows|lines)|lines|)(; x)?",
        body in "([a-c]|\\PC|[-~=,;:\"\\[\\]{} a1.\n*%@!#?|^\\\\]){0,60}",
    ) {
        let _ = super::decode::decode(&head, &body);
    }
}
