//! Round trips of generated logs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::context::{Context, Level};
use crate::kind::Kind;
use crate::log::read::{most, read};
use crate::shrinking::check;

/// The beginnings of log lines.
#[derive(Debug, Clone, Copy)]
enum Style {
    Iso,
    Syslog,
    Bracket,
    Logfmt,
    Klog,
    Access,
    Compose,
    Short,
    None,
}

const STYLES: [Style; 9] = [
    Style::Iso,
    Style::Syslog,
    Style::Bracket,
    Style::Logfmt,
    Style::Klog,
    Style::Access,
    Style::Compose,
    Style::Short,
    Style::None,
];

impl Style {
    fn begin(self, seconds: u32, number: u32) -> String {
        let (day, rest) = (1 + seconds / 86_400 % 28, seconds % 86_400);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        let time = format!("{hour:02}:{minute:02}:{second:02}");
        let millis = number % 1000;
        match self {
            Self::Iso => format!("2025-11-{day:02}T{time}.{millis:03}Z "),
            Self::Syslog => format!("Nov {day:2} {time} host-{} ", number % 2),
            Self::Bracket => format!("[2025-11-{day:02} {time},{millis:03}] "),
            Self::Logfmt => format!("ts=2025-11-{day:02}T{time}+01:00 "),
            Self::Klog => format!(
                "I11{day:02} {time}.{millis:06}       1 main.go:{}] ",
                number % 7
            ),
            Self::Access => format!(
                "10.0.0.{} - - [{day:02}/Nov/2025:{time} +0000] ",
                number % 256
            ),
            Self::Compose => format!("web-{}  | {time} ", number % 3),
            Self::Short => format!("{time} "),
            Self::None => String::new(),
        }
    }
}

/// A piece of a message: constant text, or a value that varies from line to line.
#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Number,
    Padded,
    Left,
    Hex,
    Word,
    Quoted,
    Odd,
}

fn piece() -> impl Strategy<Value = Piece> {
    let text = select(vec![
        " INFO ",
        " WARN  [db] ",
        "took ",
        "ms",
        " user=",
        " path=/api/",
        "/items",
        ", ",
        " \"GET ",
        "\" ",
        " {}",
        "<>",
        "[]",
        " $1",
        "  ",
        "\t",
        " ×2 ",
        "é ü ",
        "\x1b[32m",
        "\x1b[0m",
        "=",
        ":",
        " A=",
        "\"\"",
        ". ",
    ]);
    prop_oneof![
        6 => text.prop_map(|text| Piece::Text(text.to_owned())),
        2 => "[a-z ]{1,12}".prop_map(Piece::Text),
        4 => Just(Piece::Number),
        1 => Just(Piece::Padded),
        1 => Just(Piece::Left),
        1 => Just(Piece::Hex),
        2 => Just(Piece::Word),
        1 => Just(Piece::Quoted),
        1 => Just(Piece::Odd),
    ]
}

const WORDS: [&str; 9] = [
    "alice", "bob", "a,b", "\"q\"", "$2=x", "", "élan", "x y", "/a/b.c",
];

fn render(message: &[Piece], numbers: &[u32]) -> String {
    let mut line = String::new();
    for (at, piece) in message.iter().enumerate() {
        let number = numbers[at % numbers.len()];
        match piece {
            Piece::Text(text) => line.push_str(text),
            Piece::Number => line.push_str(&number.to_string()),
            Piece::Padded => line.push_str(&format!("{:6}", number % 100_000)),
            Piece::Left => line.push_str(&format!("{:<9}|", WORDS[number as usize % 3])),
            Piece::Hex => line.push_str(&format!(
                "{:08x}-{number:04x}",
                number.wrapping_mul(2_654_435_761)
            )),
            Piece::Word => line.push_str(WORDS[number as usize % WORDS.len()]),
            Piece::Quoted => line.push_str(&format!(
                "msg=\"{} of {number}\"",
                WORDS[number as usize % 4]
            )),
            Piece::Odd => line.push_str(["-", "~", "ö", "%", "\\"][number as usize % 5]),
        }
    }
    line
}

/// Lines that are not part of a log, or that imitate the short form.
fn odd_line() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "",
            " ",
            "  x",
            "\tat foo(Bar.java:12)",
            "@10:11:",
            "×3",
            "|x",
            "A=b",
            "=x",
            "time={}",
            "%log {} = field",
            "%end",
            "%%log",
            "10:11:12 A1,2",
            "A 1",
            "a",
            "{}",
            "$1",
            "\"",
            "\u{feff}",
            "x ",
            "10:11:12",
            "\r",
            "a\rb",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,40}",
        "[ -~]{0,60}",
    ]
}

/// A log in which a few messages repeat.
fn log() -> impl Strategy<Value = String> {
    let lines = vec((any::<u8>(), 0_u32..900, vec(any::<u32>(), 1..6)), 8..70);
    let odd = vec((any::<u8>(), odd_line()), 0..6);
    (
        select(STYLES.to_vec()),
        vec(vec(piece(), 1..9), 1..5),
        lines,
        odd,
    )
        .prop_map(|(style, messages, lines, odd)| {
            let mut seconds = 36_000;
            let mut all: Vec<String> = Vec::new();
            for (which, step, numbers) in &lines {
                // Some lines are repeated verbatim.
                if which % 11 == 0
                    && let Some(last) = all.last().cloned()
                {
                    all.extend(vec![last; usize::from(which % 4)]);
                }
                seconds += step * step / 300;
                let message = &messages[usize::from(*which) % messages.len()];
                all.push(style.begin(seconds, numbers[0]) + &render(message, numbers));
            }
            for (at, line) in odd {
                all.insert(usize::from(at) % (all.len() + 1), line);
            }
            all.join("\n")
        })
}

fn assert_restored(text: &str) -> usize {
    let mut count = 0;
    for level in Level::ALL {
        let context = Context {
            level,
            ..Context::default()
        };
        count += check(text, Kind::Log, &context).unwrap_or_else(|why| panic!("{level:?}: {why}"));
    }
    count
}

#[test]
fn every_log_is_restored() {
    let mut short = 0;
    let cases = 250;
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let short_forms = std::cell::Cell::new(0);
    let result = runner.run(&log(), |text| {
        short_forms.set(short_forms.get() + assert_restored(&text).min(1) as u32);
        Ok(())
    });
    result.unwrap();
    short += short_forms.get();
    assert!(
        short > cases * 8 / 10,
        "only {short} of {cases} logs had a short form"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_are_restored(lines in vec(odd_line(), 0..40)) {
        assert_restored(&lines.join("\n"));
    }

    #[test]
    fn few_words_in_any_order_are_restored(lines in vec(vec(select(vec!["a", "b", " ", "  ", "1", "22", ",", "\"", "x=\"a b\"", "10:11:12", "é", "\t"]), 0..8), 4..40)) {
        let lines: Vec<String> = lines.into_iter().map(|words| words.concat()).collect();
        assert_restored(&lines.join("\n"));
    }

    #[test]
    fn reading_malformed_input_terminates_within_limits(head in "(\\{\\}|<>|\\[\\]|x)( .*)?", lines in vec("(time=|A=|a=|=|@|×|\\||[0-9]{1,3} A| )?([\\PC]|\\{\\}|\\{time\\}|\\{:>99\\}|\\{col300\\}|\\$1=|\\$1|,|\"|\n ){0,12}", 0..20)) {
        let body = lines.join("\n");
        if let Ok(text) = read(&head, &body) {
            prop_assert!(text.len() <= most(head.len() + body.len()));
        }
    }
}
