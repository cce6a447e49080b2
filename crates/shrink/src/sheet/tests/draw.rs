//! Draws tables as other programs do, for tests; independent of the implementation under test.

use std::fmt::Write;

/// Names and rows.
pub(super) type Rows = Vec<Vec<String>>;

fn widths(rows: &Rows) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max();
    (0..columns).map(|i| width(i).unwrap_or(0)).collect()
}

fn pad(cell: &str, width: usize, side: char) -> String {
    let spaces = width - cell.chars().count();
    match side {
        'r' => format!("{}{cell}", " ".repeat(spaces)),
        'c' => {
            let left = spaces / 2;
            format!("{}{cell}{}", " ".repeat(left), " ".repeat(spaces - left))
        }
        _ => format!("{cell}{}", " ".repeat(spaces)),
    }
}

fn side(sides: &str, i: usize) -> char {
    sides.chars().cycle().nth(i).unwrap_or('l')
}

/// `| a | b |`
pub(super) fn markdown(rows: &Rows, padded: bool, sides: &str) -> String {
    let widths = widths(rows);
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (i, cell) in row.iter().enumerate() {
            let cell = if padded {
                pad(cell, widths[i].max(3), side(sides, i))
            } else {
                cell.clone()
            };
            write!(out, "| {cell} ").unwrap();
        }
        out.push_str("|\n");
        if number == 0 {
            for (i, width) in widths.iter().enumerate() {
                let dashes = if padded { *width.max(&3) } else { 3 };
                match side(sides, i) {
                    'r' => write!(out, "| {}: ", "-".repeat(dashes - 1)).unwrap(),
                    'c' => write!(out, "| :{}: ", "-".repeat(dashes - 2)).unwrap(),
                    _ => write!(out, "| {} ", "-".repeat(dashes)).unwrap(),
                }
            }
            out.push_str("|\n");
        }
    }
    out
}

/// `+---+---+`, or with other corners: left, fill, cross, right for top, middle and bottom, and a bar.
pub(super) fn boxed(rows: &Rows, corners: &str, between: bool, sides: &str) -> String {
    let corners: Vec<char> = corners.chars().collect();
    let widths = widths(rows);
    let rule = |from: usize| {
        let inner: Vec<String> = widths
            .iter()
            .map(|width| corners[from + 1].to_string().repeat(width + 2))
            .collect();
        let inner = inner.join(&corners[from + 2].to_string());
        format!("{}{inner}{}\n", corners[from], corners[from + 3])
    };
    let mut out = rule(0);
    for (number, row) in rows.iter().enumerate() {
        for (i, cell) in row.iter().enumerate() {
            let side = if number == 0 { 'l' } else { side(sides, i) };
            write!(out, "{} {} ", corners[12], pad(cell, widths[i], side)).unwrap();
        }
        writeln!(out, "{}", corners[12]).unwrap();
        if number == 0 || (between && number + 1 < rows.len()) {
            out.push_str(&rule(4));
        }
    }
    out + &rule(8)
}

/// ` a | b ` above `---+---`.
pub(super) fn psql(rows: &Rows, sides: &str) -> String {
    let widths = widths(rows);
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (i, cell) in row.iter().enumerate() {
            out.push_str(if i > 0 { "| " } else { " " });
            let side = if number == 0 { 'c' } else { side(sides, i) };
            let is_last = i + 1 == row.len();
            if is_last && number > 0 && side == 'l' {
                out.push_str(cell)
            } else {
                write!(out, "{} ", pad(cell, widths[i], side)).unwrap()
            }
        }
        if number > 0 && side(sides, row.len() - 1) == 'r' {
            out.pop();
        }
        out.push('\n');
        if number == 0 {
            let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
            out.push_str(&dashes.join("+"));
            out.push('\n');
        }
    }
    let count = rows.len() - 1;
    out + &match count {
        1 => "(1 row)\n".to_owned(),
        _ => format!("({count} rows)\n"),
    }
}

/// `a   b`, with `gap` spaces between columns.
pub(super) fn aligned(rows: &Rows, gap: usize, sides: &str) -> String {
    let widths = widths(rows);
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(i, cell)| pad(cell, widths[i], side(sides, i)))
            .collect();
        out.push_str(cells.join(&" ".repeat(gap)).trim_end_matches(' '));
        out.push('\n');
    }
    out
}

/// Values between separators; with `always`, all of them are quoted.
pub(super) fn csv(rows: &Rows, separator: char, always: bool) -> String {
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| {
                if always || cell.contains([separator, '"', '\n', '\r']) {
                    format!("\"{}\"", cell.replace('"', "\"\""))
                } else {
                    cell.clone()
                }
            })
            .collect();
        out.push_str(&cells.join(&separator.to_string()));
        out.push('\n');
    }
    out
}
