use super::*;

mod draw;
mod properties;

fn is_kept(text: &str, kind: Kind) -> String {
    let all = encode(text, kind, &Context::default());
    let first = all.first().expect("there is a short form");
    assert_eq!(decode(&first.head, &first.body).as_deref(), Ok(text));
    format!("{}\n{}", first.head, first.body)
}

#[test]
fn a_table_of_a_database_comes_back() {
    let text = "\
+----+-------+
| id | name  |
+----+-------+
|  1 | Alice |
| 20 | Bob   |
+----+-------+
2 rows in set (0.00 sec)";
    assert_eq!(
        is_kept(text, Kind::Drawn).lines().next(),
        Some("mysql lines=7")
    );
}

#[test]
fn a_markdown_table_comes_back() {
    let text = "\
| Name  | Count |
| :---- | ----: |
| Alice |     1 |
| Bob   |    20 |";
    assert_eq!(
        is_kept(text, Kind::Markdown).lines().next(),
        Some("markdown padded lr apart")
    );
}

#[test]
fn a_listing_comes_back() {
    let text = "\
NAME    READY   AGE
web-1   1/1     5d
api     0/1     12h";
    assert_eq!(
        is_kept(text, Kind::Drawn).lines().next(),
        Some("aligned gap=3")
    );
}

#[test]
fn values_with_quotes_and_line_ends_come_back() {
    is_kept("a,b\n\"x, y\",\"1\n2\"\n\"say \"\"hi\"\"\",3", Kind::Csv);
}
