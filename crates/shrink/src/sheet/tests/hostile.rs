//! Adversarial texts: they take at most linear time and memory.

use crate::sheet::decode;
use crate::{Context, Kind, check};

const KINDS: [Kind; 3] = [Kind::Csv, Kind::Markdown, Kind::Drawn];

/// Runs all kinds at the default level.
fn passes(text: &str) {
    for kind in KINDS {
        check(text, kind, &Context::default()).unwrap();
    }
}

#[test]
fn very_many_columns() {
    let names: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    let line = |separator: &str| names.join(separator);
    for separator in [",", "|", "  ", "\t", " | "] {
        passes(&format!("{0}\n{0}\n{0}\n{0}", line(separator)));
    }
    let rule = "+-".repeat(100_000) + "+";
    let row = "|x".repeat(100_000) + "|";
    passes(&format!("{rule}\n{row}\n{rule}\n{row}\n{row}\n{rule}"));
    passes(&format!(
        "|{0}|\n|{1}|\n|{0}|",
        line("|"),
        "---|".repeat(99_999) + "---"
    ));
}

#[test]
fn a_long_line_above_many_short_ones() {
    let long = "NAME  AGE  ".repeat(20_000);
    let short = "a  1\n".repeat(20_000);
    passes(&format!("{long}\n{short}"));
    passes(&format!("{}\n{short}", "a,".repeat(50_000)));
}

#[test]
fn more_blank_lines_than_table_rows() {
    use crate::Level;
    for text in [
        "\n\n\n:\n\n\n\n:--\n:-".to_owned(),
        format!("{}a,b\n1,2\n3,4", "\n".repeat(20_000)),
        format!("|a|b|\n|-|-|{}\n|1|2|", "\n".repeat(20_000)),
    ] {
        for level in Level::ALL {
            let context = Context {
                level,
                ..Context::default()
            };
            for kind in KINDS {
                check(&text, kind, &context).unwrap();
            }
        }
    }
}

#[test]
fn one_line_and_equal_lines() {
    passes(&"x".repeat(1_000_000));
    passes(&"| a ".repeat(200_000));
    passes(&"\"".repeat(300_001));
    passes(&"a b  c\n".repeat(100_000));
    passes(&"a,b,c\n".repeat(100_000));
    passes(&"\n".repeat(300_000));
    passes(&" ".repeat(1_000_000));
    passes(&format!("+--+--+\n{}+--+--+", "| a| b|\n".repeat(50_000)));
    passes(&format!("+--+--+\n{}", "| a| b|\n+--+--+\n".repeat(50_000)));
}

#[test]
fn one_wide_cell_in_a_padded_table() {
    let mut text = format!(
        "| {} | b |\n| {} | --- |\n",
        "x".repeat(5_000),
        "-".repeat(5_000)
    );
    for _ in 0..500 {
        text.push_str(&format!("| {:<5000} | b |\n", "y"));
    }
    passes(&text);
}

#[test]
fn a_small_text_cannot_expand_without_limit() {
    let rows = "\n".repeat(50_000);
    let wide = "w".repeat(50_000);
    let many: String = (0..5_000).map(|i| format!(" c{i}=x")).collect();
    for (head, body) in [
        ("csv", format!("a b={wide}\n{}", "x\n".repeat(50_000))),
        ("mysql", format!("a\n{wide}{rows}")),
        (
            "markdown padded",
            format!("a b\n{wide} 1{}", "\nx 1".repeat(50_000)),
        ),
        (
            "csv",
            format!(
                "a b={}\n{}",
                "{a}".repeat(50_000),
                "xxxxxxxx\n".repeat(5_000)
            ),
        ),
        ("csv", format!("a{many}{rows}")),
        ("csv", format!("a{}{rows}", " +".repeat(50_000))),
        ("csv", format!("a b={}{rows}", "{a}".repeat(50_000))),
        (
            "csv",
            format!("a{}{}", " b~1".repeat(20_000), "\nx ~#9=2".repeat(5_000)),
        ),
        (
            "csv",
            format!("a={{{}}}{}", "x=y|".repeat(20_000), "\nz".repeat(50_000)),
        ),
        ("aligned gap=999999999", "a b\n1 2".to_owned()),
        ("aligned extra=2:9223372036854775807", "a b\n1 2".to_owned()),
        (
            "aligned extra=2:-9223372036854775808",
            "a b\n1 2".to_owned(),
        ),
        ("aligned full=99999999999", "a b\n1 2".to_owned()),
        ("mysql width=1:18446744073709551615", "a b\n1 2".to_owned()),
        ("mysql space=18446744073709551615,1", "a b\n1 2".to_owned()),
        (
            "mysql space=99999,99999",
            format!("{0}\n{0}", "a ".repeat(5_000)),
        ),
        ("mysql indent=18446744073709551615", "a b\n1 2".to_owned()),
        (
            "markdown dashes=18446744073709551615",
            "a b\n1 2".to_owned(),
        ),
        ("markdown padded floor=99999999999", "a b\n1 2".to_owned()),
        ("csv lines=1-18446744073709551615", "a b\n1 2".to_owned()),
        ("csv blank=1-18446744073709551615", "a b\n1 2".to_owned()),
    ] {
        if let Ok(text) = decode(head, &body) {
            assert!(text.len() <= 201 * body.len() + (1 << 17), "{head}");
        }
    }
}
