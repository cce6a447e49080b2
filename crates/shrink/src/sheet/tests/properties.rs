//! Round trips of generated tables.

use std::borrow::Cow;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::draw;
use crate::sheet::rows::Rows;
use crate::sheet::{body, decode};
use crate::{Context, Kind, Level, check};

const BOX: &str = "┌─┬┐├─┼┤└─┴┘│";
const ASCII: &str = "+-+++-+++-++|";
const ROUND: &str = "╭─┬╮├─┼┤╰─┴╯│";

/// Characters that are difficult in cells.
const ODD: [&str; 40] = [
    "",
    "^",
    "=",
    "=x",
    ": x",
    ":",
    "~",
    "~a=1",
    "a ~b=2",
    "\"",
    "\"\"",
    "\"x\"",
    "\\",
    "\\|",
    "a, b",
    "a,",
    ",",
    "*",
    "{1..}",
    "{a}",
    "x=*y",
    "%table csv",
    "%end",
    "+",
    "+T",
    "#1",
    "-",
    "--",
    "---",
    "007",
    "1e5",
    "+5",
    "1.0",
    "NULL",
    "日本",
    "e\u{301}",
    "✅ ok",
    "a  b",
    "é",
    "null",
];

/// A column whose cells share parts, as in real tables.
fn column(rows: usize) -> impl Strategy<Value = Vec<String>> {
    let word = "[a-zA-Z]{1,8}";
    let many = move |cell: BoxedStrategy<String>| prop::collection::vec(cell, rows).boxed();
    let few = prop::collection::vec("[a-z]{2,6}-[a-z]{2,6}-[0-9]", 1..4);
    prop_oneof![
        many(word.boxed()),
        many("[0-9]{1,6}".boxed()),
        many("[0-9]{1,3}\\.[0-9]{2}".boxed()),
        many("2024-0[1-9]-[0-2][0-9]( 1[0-9]:[0-5][0-9])?".boxed()),
        many("2024-03-0[12] 1[0-9]:[0-5][0-9]".boxed()),
        many("[a-z]{3}@example\\.com".boxed()),
        many("(true|false|)".boxed()),
        many("[A-Z][a-z]{2,6} [A-Z][a-z]{2,6}".boxed()),
        many("(ok|ok|ok|ok|ok|ok|failed|)".boxed()),
        many(
            prop::sample::select(&ODD[..])
                .prop_map(str::to_owned)
                .boxed()
        ),
        few.prop_flat_map(move |few| many(prop::sample::select(few).boxed())),
        (0_i64..2000, -3_i64..20, "[a-z]{0,3}-?").prop_map(move |(start, step, before)| {
            let number = |row: usize| start + step * i64::try_from(row).unwrap();
            (0..rows)
                .map(|row| format!("{before}{:03}", number(row)))
                .collect()
        }),
        word.prop_map(move |word| vec![word; rows]),
    ]
}

/// Names and rows. `odd` allows cells that cannot be drawn.
fn table(odd: bool) -> impl Strategy<Value = draw::Rows> {
    let name = prop_oneof![6 => "[a-z_]{1,8}", 1 => "[A-Z]{2,5} [A-Z]{2,3}", 1 => prop::sample::select(&ODD[..]).prop_map(str::to_owned)];
    (2_usize..6, 1_usize..14)
        .prop_flat_map(move |(width, rows)| {
            let names = prop::collection::vec(name.clone(), width);
            let columns = prop::collection::vec(column(rows), width);
            let spoil = prop::collection::vec((0..rows, 0..width, any::<String>()), 0..3);
            (names, columns, spoil)
        })
        .prop_map(move |(names, columns, spoil)| {
            let mut rows: draw::Rows = vec![names];
            for row in 0..columns[0].len() {
                rows.push(columns.iter().map(|column| column[row].clone()).collect());
            }
            if odd {
                for (row, column, text) in spoil {
                    rows[row + 1][column] = text;
                }
            }
            rows
        })
}

fn contexts() -> [Context; 3] {
    Level::ALL.map(|level| Context {
        level,
        ..Context::default()
    })
}

/// Draws many tables and decodes their short forms. The given percentage must have a short form.
fn assert_most_are_restored(
    kind: Kind,
    odd: bool,
    least: usize,
    draw: impl Fn(&draw::Rows, usize) -> String,
) {
    let mut runner = TestRunner::deterministic();
    let tables = table(odd);
    let mut had = 0;
    let count = 300;
    for number in 0..count {
        let rows = tables.new_tree(&mut runner).unwrap().current();
        let text = draw(&rows, number);
        for context in contexts() {
            let candidates = check(&text, kind, &context).unwrap();
            had += usize::from(context.level == Level::Max && candidates > 0);
        }
    }
    assert!(
        had * 100 >= count * least,
        "only {had} of {count} had a short form"
    );
}

/// Removes the characters that would end a cell in a drawing.
fn tame(rows: &draw::Rows, bad: &[char]) -> draw::Rows {
    let cell = |cell: &String| cell.replace(bad, "").trim().to_owned();
    rows.iter()
        .map(|row| row.iter().map(cell).collect())
        .collect()
}

#[test]
fn markdown_tables_are_restored() {
    assert_most_are_restored(Kind::Markdown, false, 90, |rows, number| {
        let rows = tame(rows, &['|', '\\']);
        draw::markdown(&rows, number % 2 == 0, ["l", "lr", "rcl"][number % 3])
    });
}

#[test]
fn boxes_are_restored() {
    assert_most_are_restored(Kind::Drawn, false, 85, |rows, number| {
        let rows = tame(rows, &[]);
        let corners = [BOX, ASCII, ROUND][number % 3];
        draw::boxed(
            &rows,
            corners,
            number % 4 == 0,
            ["l", "lr", "rrl"][number % 3],
        )
    });
}

#[test]
fn psql_tables_are_restored() {
    assert_most_are_restored(Kind::Drawn, false, 85, |rows, number| {
        draw::psql(&tame(rows, &[]), ["l", "lr", "rrl"][number % 3])
    });
}

#[test]
fn listings_are_restored() {
    assert_most_are_restored(Kind::Drawn, false, 60, |rows, number| {
        let mut rows = tame(rows, &[' ']);
        rows.iter_mut()
            .flatten()
            .filter(|cell| cell.is_empty())
            .for_each(|cell| cell.push('-'));
        draw::aligned(&rows, 1 + number % 3, ["l", "lr", "rrl"][number % 3])
    });
}

#[test]
fn separated_values_are_restored() {
    assert_most_are_restored(Kind::Csv, true, 80, |rows, number| {
        let separator = [',', '\t', ';'][number % 3];
        draw::csv(rows, separator, number % 4 == 0)
    });
}

#[test]
fn cells_that_cannot_be_drawn_are_harmless() {
    for kind in [Kind::Markdown, Kind::Drawn] {
        assert_most_are_restored(kind, true, 0, |rows, number| match (kind, number % 3) {
            (Kind::Markdown, _) => draw::markdown(rows, number % 2 == 0, "lr"),
            (_, 0) => draw::boxed(rows, ASCII, false, "l"),
            (_, 1) => draw::psql(rows, "l"),
            _ => draw::aligned(rows, 2, "l"),
        });
    }
}

/// Pieces that tables, heads and bodies are made of.
const PIECES: [&str; 44] = [
    "| a | b |",
    "|---|---|",
    "| --- | :-: |",
    "+---+---+",
    "|",
    " ",
    "  ",
    "\n",
    "\n",
    "\n",
    "a",
    "b",
    "1",
    "-",
    "---",
    "=",
    "---+---",
    " a | b",
    "┌─┬─┐",
    "│a│b│",
    "└─┴─┘",
    ",",
    "\t",
    ";",
    "\"",
    "\"\"",
    "\r",
    "NAME   AGE",
    "x      5d",
    "^",
    "~",
    ":",
    ": x",
    "*",
    "{",
    "}",
    "a=*",
    "b={1..}",
    "c~0",
    "d:",
    "+",
    "+T=*",
    "e={a|x.y}",
    "{a=x|b=y}",
];
const HEADS: [&str; 30] = [
    "csv",
    "tsv",
    "markdown",
    "mysql",
    "psql",
    "box",
    "aligned",
    "frame +-++ ||| . ||| . .",
    "padded",
    "align=lr",
    "names=c",
    "width=1:99999999999999",
    "width=2:3",
    "lines=1",
    "lines=2-4",
    "unnamed",
    "gap=999999999999",
    "extra=1:-5,2:9",
    "right=1-2",
    "rules=-111",
    "dashes=all3",
    "indent=99999999999",
    "space=0,9",
    "types/",
    "quotes=na",
    "raw",
    "loose=1",
    "floor=9",
    "tail=pb",
    "counted",
];

proptest! {
    #[test]
    fn random_pieces_are_restored(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        let text = pieces.concat();
        for kind in [Kind::Csv, Kind::Markdown, Kind::Drawn] {
            for context in contexts() {
                check(&text, kind, &context).unwrap();
            }
        }
    }

    #[test]
    fn decoding_any_head_and_body_does_not_panic(
        head in prop::collection::vec(prop::sample::select(&HEADS[..]), 0..5),
        body in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
    ) {
        let body = body.concat();
        if let Ok(text) = decode(&head.join(" "), &body) {
            prop_assert!(text.len() <= 200 * body.len() + (1 << 17));
        }
    }

    #[test]
    fn rows_are_restored_from_their_lines(rows in table(true)) {
        let width = rows[0].len();
        let mut cells = rows.iter().map(|row| row.iter().map(|cell| Cow::Owned(cell.clone())));
        let names: Vec<Cow<'_, str>> = cells.next().unwrap().collect();
        let rows = Rows { width, names: Some(names), cells: cells.flatten().collect() };
        for context in contexts() {
            if let Some(written) = body::write(&rows, &context) {
                let back = body::read(&written.lines).unwrap();
                prop_assert_eq!(&back, &rows, "{}", written.lines);
            }
        }
    }
}
