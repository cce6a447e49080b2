use super::*;
use crate::Level;

mod draw;
mod hostile;
mod properties;

/// The short form of a table, after a round trip.
fn short(text: &str, kind: Kind) -> String {
    short_at(text, kind, Level::Max)
}

fn short_at(text: &str, kind: Kind, level: Level) -> String {
    let context = Context {
        level,
        ..Context::default()
    };
    let all = encode(text, kind, &context);
    let [one] = &all[..] else {
        panic!("there is no short form of\n{text}")
    };
    assert_eq!(decode(&one.head, &one.body).as_deref(), Ok(text));
    format!("{}\n{}", one.head, one.body)
}

#[test]
fn a_table_of_mysql_loses_its_lines_and_spaces() {
    let text = "\
+----+-------+---------+
| id | name  | state   |
+----+-------+---------+
|  1 | Alice | active  |
|  2 | Bob   | active  |
|  3 | Carol | blocked |
+----+-------+---------+
3 rows in set (0.00 sec)";
    assert_eq!(
        short(text, Kind::Drawn),
        "\
mysql lines=8
id={1..} name state
Alice active
Bob active
Carol blocked
3 rows in set (0.00 sec)"
    );
}

#[test]
fn psql_tables_keep_their_row_count_and_alignment() {
    let text = " city  | population 
-------+------------
 Bern  |     134794
 Zug   |      30934
 Basel |           
(3 rows)";
    assert_eq!(
        short(text, Kind::Drawn),
        "\
psql counted
city population
Bern 134794
Zug 30934
Basel"
    );
}

#[test]
fn a_box_with_types_below_the_names() {
    let text = "\
┌───────┬─────────┐
│  id   │  name   │
│ int32 │ varchar │
├───────┼─────────┤
│    10 │ Ünal    │
│    12 │ Müller  │
└───────┴─────────┘";
    assert_eq!(
        short(text, Kind::Drawn),
        "\
box types/
id/int32 name/varchar
10 Ünal
12 Müller"
    );
}

#[test]
fn a_row_of_several_lines_is_one_row() {
    let text = "\
+------+---------+
| Name | Meaning |
+======+=========+
| one  | first   |
|      | of all  |
+------+---------+
| two  | second  |
+------+---------+";
    assert_eq!(
        short(text, Kind::Drawn),
        "grid\nName Meaning\none \"first\\nof all\"\ntwo second"
    );
}

#[test]
fn an_unknown_frame_is_spelled_out() {
    let text = "\
*----*---*
! a  ! b !
*----*---*
! x1 ! 1 !
! x2 ! 2 !
*----*---*";
    assert_eq!(
        short(text, Kind::Drawn).lines().next(),
        Some("frame *-** !!! *-** !!! . *-**")
    );
}

#[test]
fn padding_of_markdown_is_not_written() {
    let text = "\
| Name  | Count | Note   |
| :---- | ----: | ------ |
| Alice |     1 | a \\| b |
| Bob   |    20 |        |";
    assert_eq!(
        short(text, Kind::Markdown),
        "\
markdown padded lr- apart
Name Count Note
Alice 1 a \\| b
Bob 20"
    );
}

#[test]
fn markdown_without_bars_at_the_edges_and_without_spaces() {
    short("a | b\n--|--\n1 | 2\n3 | 4", Kind::Markdown);
    short("|a|b|\n|-|-|\n|1|2|\n||4|", Kind::Markdown);
    short("| a | b |\n|---|:-:|\n| 1 | |\n| 3 | 4 |", Kind::Markdown);
    short("   | a |\n   |---|\n   | 1 |", Kind::Markdown);
}

#[test]
fn irregular_rows_are_copied_in_place() {
    let mut lines = vec!["| a | b |", "|---|---|"];
    lines.extend(["| 1 | 2 |"; 6]);
    lines.insert(4, "| a row that ends too soon |");
    let text = lines.join("\n");
    let short = short(&text, Kind::Markdown);
    assert!(short.starts_with("markdown lines=5\n"), "{short}");
    assert!(short.ends_with("| a row that ends too soon |"), "{short}");
}

#[test]
fn a_listing_keeps_its_columns() {
    let text = "\
NAMESPACE     NAME      READY   AGE
default       web-1     1/1     5d
default       web-2     1/1     5d
default       api       1/1     12h
default       cache     1/1     12h
kube-system   coredns   1/1     90d
kube-system   proxy     1/1     90d
kube-system   etcd      1/1     90d
kube-system   metrics   1/1     90d";
    assert_eq!(
        short(text, Kind::Drawn),
        "\
aligned gap=3; : = rows below
NAMESPACE: NAME READY=1/1 AGE
: default
web-1 5d
web-2 5d
api 12h
cache 12h
: kube-system
coredns 90d
proxy 90d
etcd 90d
metrics 90d"
    );
}

#[test]
fn an_overlong_cell_shifts_the_others() {
    let pushed = "\
USER   PID CMD
root     1 init
verylongname 17 sh
me      23 vi";
    short(pushed, Kind::Drawn);
    let shifted = "\
NAME  SIZE  DATE
a     1     x
averylongname 2     y
b     3     z";
    short(shifted, Kind::Drawn);
}

#[test]
fn values_keep_their_quotes_and_line_ends() {
    let text = "a,b\n\"x, y\",\"1\n2\"\n\"say \"\"hi\"\"\",3";
    assert_eq!(
        short(text, Kind::Csv),
        "csv\na b\n\"x, y\" \"1\\n2\"\n\"say \\\"hi\\\"\" 3"
    );
    short("\"a\",\"b\"\n\"1\",\"\"\n\"2\",\"x\"", Kind::Csv);
    short("\"a\";\"b\"\n\"x\";1\n\"y\";2", Kind::Csv);
    short("a, b\n1, 2\n3, 4", Kind::Csv);
    short("a\tb\"\n1\t2\" tall\n3\t4", Kind::Csv);
    short("NAME \tAGE\nweb  \t5d \napi  \t12d", Kind::Csv);
}

#[test]
fn spelling_of_numbers_stays() {
    let text = "n\tm\n007\t1.0\n+5\t1e5\n-0\t.5";
    assert_eq!(short(text, Kind::Csv), "tsv\nn m\n007 1.0\n+5 1e5\n-0 .5");
}

#[test]
fn each_level_goes_further() {
    let mut text = "id,name,mail,region,day".to_owned();
    let names = ["Ada Byron", "Alan Turing", "Grace Hopper", "Kurt Goedel"];
    let regions = ["eu-central-1", "us-east-1"];
    for i in 0..24 {
        let name = names[i % 4];
        let mail = name.to_lowercase().replace(' ', ".");
        let region = regions[i * 7 % 5 % 2];
        text += &format!(
            "\n{},{name},{mail}@x.org,{region},2024-05-{:02}",
            i + 1,
            i * 5 % 28 + 1
        );
    }
    let first = |level| {
        let short = short_at(&text, Kind::Csv, level);
        let second = short.lines().nth(1).unwrap_or_default().to_owned();
        let third = short.lines().nth(2).unwrap_or_default().to_owned();
        (second, third)
    };
    let (columns, row) = first(Level::Safe);
    assert_eq!(columns, "id name, mail region day");
    assert_eq!(row, "1 Ada Byron, ada.byron@x.org eu-central-1 2024-05-01");
    let (columns, row) = first(Level::Balanced);
    assert_eq!(
        columns,
        "id={1..} name + mail=*@x.org region=*-1 day=2024-05-*"
    );
    assert_eq!(row, "Ada Byron ada.byron eu-central 01");
    let (columns, row) = first(Level::Max);
    assert_eq!(
        columns,
        "id={1..} name + mail={name|a.b}@x.org region={e=eu-central-1|u=us-east-1} day=2024-05-*"
    );
    assert_eq!(row, "Ada Byron e 01");
}

#[test]
fn a_text_that_is_not_a_table_has_no_short_form() {
    for text in [
        "",
        "a",
        "a,b",
        "| a |",
        "hello world\nhow are you",
        "---\n---",
    ] {
        for kind in [Kind::Csv, Kind::Markdown, Kind::Drawn] {
            assert_eq!(encode(text, kind, &Context::default()), [], "{text}");
        }
    }
}

#[test]
fn a_cancelled_call_returns_nothing() {
    let context = Context::default();
    context.stop.set();
    assert_eq!(encode("a,b\n1,2\n3,4\n5,6", Kind::Csv, &context), []);
}

#[test]
fn an_unknown_head_is_an_error() {
    for head in [
        "",
        "fancy pants",
        "mysql align=q",
        "csv lines=9",
        "markdown width=1:2",
        "frame x",
    ] {
        assert!(decode(head, "a b\n1 2").is_err(), "{head}");
    }
}
