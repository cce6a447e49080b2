use proptest::prelude::*;

use super::format::Pad;
use super::*;
use crate::check;

fn at(level: Level) -> Context {
    Context {
        level,
        ..Context::default()
    }
}

/// The only candidate, as head and body, after a round trip.
fn short(text: &str, level: Level) -> String {
    let made = encode(text, Kind::Numbered, &at(level));
    let [one] = made.as_slice() else {
        panic!("{} candidates", made.len());
    };
    assert_eq!(decode(&one.head, &one.body).as_deref(), Ok(text));
    format!("{}\n{}", one.head, one.body)
}

fn assert_restored(text: &str) {
    for level in Level::ALL {
        assert_eq!(check(text, Kind::Numbered, &at(level)), Ok(1), "{text}");
    }
}

fn listing(lines: std::ops::RangeInclusive<u64>, one: impl Fn(u64) -> String) -> String {
    lines.map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_tenth_line_keeps_its_number() {
    let text = "     8\tfn main() {\n     9\t\n    10\t    run();\n    11\t}";
    let want = "8-11 as \"%6d\\t\", every 10th numbered\nfn main() {\n\n10\t    run();\n}";
    assert_eq!(short(text, Level::Max), want);
    assert_eq!(short(text, Level::Balanced), want);
}

#[test]
fn at_the_safe_level_all_lines_keep_their_number() {
    let text = "     8→fn main() {\n     9→\n    10→    run();\n    11→}";
    let want = "8-11 as \"%6d→\"\n8\tfn main() {\n9\t\n10\t    run();\n11\t}";
    assert_eq!(short(text, Level::Safe), want);
}

#[test]
fn a_jump_is_marked_with_the_next_number() {
    let text = "1: a\n2: b\n3: c\n40: d\n41: e\n42: f";
    let want = "1-42 as \"%d: \", every 10th numbered\na\nb\nc\n~40\td\ne\nf";
    assert_eq!(short(text, Level::Max), want);
}

#[test]
fn non_consecutive_numbers_have_no_short_form() {
    let text = "1:a\n5:b\n30:c\n41:d";
    assert_eq!(
        short(text, Level::Max),
        "1-41 as \"%d:\"\n1\ta\n5\tb\n30\tc\n41\td"
    );
}

#[test]
fn lines_without_a_number_and_texts_with_a_tilde_are_restored() {
    let text = "file a\n1|~x\n2|~|y\n3|~80\tz\n...\n4|\n5|10\t\n\n6|end";
    let want =
        "1-6 as \"%d|\", every 10th numbered\n~|file a\n~~x\n~~|y\n~~80\tz\n~|...\n\n10\t\n~|\nend";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn common_formats_of_line_numbers_are_supported() {
    let code = |n: u64| match n % 4 {
        0 => "",
        1 => "fn main() {",
        2 => "    let x = 1;",
        _ => "\tnext",
    };
    type Print = fn(u64, &str) -> String;
    let formats: [(&str, Print); 14] = [
        ("%6d\\t", |n, text| format!("{n:6}\t{text}")),
        ("%6d→", |n, text| format!("{n:6}→{text}")),
        ("%5d→", |n, text| format!("{n:5}→{text}")),
        ("%d→", |n, text| format!("{n}→{text}")),
        ("%d: ", |n, text| format!("{n}: {text}")),
        ("%d:", |n, text| format!("{n}:{text}")),
        ("%d|", |n, text| format!("{n}|{text}")),
        ("%4d | ", |n, text| format!("{n:4} | {text}")),
        ("%4d │ ", |n, text| format!("{n:4} │ {text}")),
        ("%7d ", |n, text| format!("{n:7} {text}")),
        ("L%d: ", |n, text| format!("L{n}: {text}")),
        ("%04d: ", |n, text| format!("{n:04}: {text}")),
        ("%-3d | ", |n, text| format!("{n:<4}| {text}")),
        ("%d\\t", |n, text| format!("{n}\t{text}")),
    ];
    for (name, format) in formats {
        let text = listing(1..=120, |n| format(n, code(n)));
        let made = short(&text, Level::Max);
        let want = format!("1-120 as \"{name}\", every 10th numbered\n");
        assert!(made.starts_with(&want), "{name}: {made}");
        assert!(!made.contains('~'), "{name}: {made}");
        assert_restored(&text);
        // The same without trailing spaces.
        let bare: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        let made = short(&bare.join("\n"), Level::Max);
        assert!(
            !made.trim_end_matches(|c: char| c != '~').contains("~~"),
            "{name}: {made}"
        );
        assert_restored(&bare.join("\n"));
    }
}

#[test]
fn lines_that_nl_does_not_count_are_empty() {
    let text = "     1\ta\n       \n     2\tb\n     3\tc";
    let want = "1-3 as \"%6d\\t\", every 10th numbered, blanks not counted\na\n\nb\nc";
    assert_eq!(short(text, Level::Max), want);
    let text = "1 a\n\n2 b\n3 c\n\n4 d";
    let want = "1-4 as \"%d \", every 10th numbered, empty lines not counted\na\n\nb\nc\n\nd";
    assert_eq!(short(text, Level::Max), want);
}

#[test]
fn a_text_without_line_numbers_has_no_short_form() {
    for text in [
        "",
        "\n",
        "one\ntwo\nthree\nfour",
        "1\tx\ntwo\nthree\nfour\nfive\nsix",
        "12",
        "2024-01-01 a\nb\nc\nd\ne\nf",
        "99999999999999999999\ta\n99999999999999999999\tb\n99999999999999999999\tc",
    ] {
        for level in Level::ALL {
            assert_eq!(check(text, Kind::Numbered, &at(level)), Ok(0), "{text:?}");
        }
    }
}

#[test]
fn a_modified_short_form_is_refused() {
    let good = "8-11 as \"%6d\\t\", every 10th numbered";
    assert!(decode(good, "a\nb\n10\tc").is_ok());
    for (head, body) in [
        (good, "a\nb\nc"),
        (good, "a\nb\n11\tc"),
        (good, "a\n~b"),
        (good, "a\n~99999999999999999999\tb"),
        (good, "~18446744073709551615\tb"),
        ("8-11 as \"%600d\\t\"", "1\ta"),
        ("8-11 as \"%6dabcdef\"", "1\ta"),
        ("8-11 as \"%6d\\t\", every 5th numbered", "a"),
        ("", "a"),
        ("8-11", "a"),
        ("x as \"", "a"),
    ] {
        assert!(decode(head, body).is_err(), "{head} {body}");
    }
}

/// Code-like texts with many characters of the notation.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "( {0,12}|\t{0,3})[a-z_]{1,8}( = |\\(|: )[a-z0-9]{0,8}[;){]?",
        1 => Just(String::new()),
        1 => "~?[~|0-9 \t]{0,6}",
        1 => "[ ]{0,3}[0-9]{1,3}[:|\t→-]?.{0,5}",
        1 => "[^\n]{0,12}",
    ]
}

fn formats() -> impl Strategy<Value = Format> {
    let after = [
        "\t", "→", ": ", ":", "|", " | ", "| ", " │ ", " ", "  ", ")", ". ", ":\t",
    ];
    let pad = prop_oneof![Just(Pad::Right), Just(Pad::Left), Just(Pad::Zero)];
    let width = prop_oneof![Just(0_usize), 1_usize..8];
    let before = proptest::sample::select(Format::BEFORE.to_vec());
    (before, pad, width, proptest::sample::select(after.to_vec())).prop_map(
        |(before, pad, width, after)| Format {
            before,
            pad,
            width,
            after: after.to_owned(),
        },
    )
}

/// A listing with jumps, lines without a number, and blank lines of every style.
fn listings() -> impl Strategy<Value = (bool, String)> {
    let line = (
        texts(),
        prop_oneof![30 => Just(0_u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)],
    );
    let lines = prop::collection::vec(line, 0..60);
    (formats(), 0_u64..2000, any::<bool>(), lines).prop_map(|(format, from, trimmed, lines)| {
        let mut out = Vec::new();
        let mut number = from;
        let plain =
            lines.len() > 12 && lines.iter().filter(|line| line.1 > 0).count() * 4 < lines.len();
        for (text, odd) in lines {
            match odd {
                1 => out.push(text),
                2 => out.push(format.margin()),
                _ => {
                    if odd == 3 {
                        number = number.wrapping_mul(7) % 1_000_003;
                    }
                    let mut line = String::new();
                    format.write(number, &text, trimmed, &mut line);
                    out.push(line);
                    number += 1;
                }
            }
        }
        (plain, out.join("\n"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_listing_is_restored((plain, text) in listings()) {
        for level in Level::ALL {
            let made = check(&text, Kind::Numbered, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
            // Otherwise the property would be vacuous.
            prop_assert!(!plain || made == Ok(1), "{text}");
        }
    }

    #[test]
    fn any_text_is_restored(text in "([ 0-9]{0,6}[\t:|→ ~\r]?[a-z ~|]{0,4}\n){0,12}[ 0-9~\n]{0,4}") {
        for level in Level::ALL {
            let made = check(&text, Kind::Numbered, &at(level));
            prop_assert!(made.is_ok(), "{}", made.unwrap_err());
        }
    }

    #[test]
    fn decode_never_panics(head in "[0-9]{1,20}-[0-9]{0,3} as \"L?%[-0-9]{0,3}d[^\"]{0,3}\"(, every 10th numbered)?(, blanks trimmed|, blanks not counted)?", body in "([0-9~|]{0,20}\t?.{0,4}\n){0,5}") {
        if let Ok(text) = decode(&head, &body) {
            prop_assert!(text.len() <= body.len() * 40 + 64);
        }
    }
}
