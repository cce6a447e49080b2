//! A table on its own, for testing the encoding of tables.

use std::borrow::Cow;

use super::level::{Body, Column, Level, Name};
use super::read::{Field, Found, Head, Scope, split};
use super::{Cell, Place, write_level};
use crate::context::Context;
use crate::rendering::Malformed;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Table<'a> {
    /// The names of the columns, in order; at least one. They may be empty or repeat.
    pub(super) columns: Vec<Cow<'a, str>>,
    /// The cells, row by row, one per column.
    pub(super) cells: Vec<Cell<'a>>,
}

/// A table as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// The legend: a few words without a line end, or nothing. It belongs to the head; decoding does not need it.
    pub(super) legend: String,
    /// A line with the columns, then one per row, separated (not terminated) by line ends.
    pub(super) lines: String,
}

/// Encodes a table; `None` if the call is cancelled or the table has no columns.
pub(super) fn write(table: &Table<'_>, context: &Context) -> Option<Written> {
    let width = table.columns.len();
    if width == 0 {
        return None;
    }
    let columns = table.columns.iter().enumerate().map(|(at, name)| Column {
        name: Name::Text(Cow::Borrowed(name)),
        body: Body::Cells(
            table
                .cells
                .iter()
                .skip(at)
                .step_by(width)
                .cloned()
                .collect(),
        ),
    });
    let level = Level {
        rows: table.cells.len() / width,
        columns: columns.collect(),
        irregular: Vec::new(),
    };
    let page = write_level(&level, Place::Line, context)?;
    Some(Written {
        legend: page.marks.legend(),
        lines: page.into_lines(),
    })
}

/// The inverse of [`write`]. All of `lines` belongs to the table.
pub(super) fn read(lines: &str) -> Result<Table<'_>, Malformed> {
    let mut lines = lines.split('\n').enumerate();
    let (_, header) = lines.next().unwrap_or_default();
    let head = Head::parse(header).map_err(|why| Malformed::new(1, why))?;
    if head
        .fields
        .iter()
        .any(|field| !matches!(field, Field::Leaf(_)))
    {
        return Err(Malformed::new(1, "brackets in place of a name"));
    }
    let columns = head.leaves.iter().map(|leaf| match &leaf.name {
        Name::Text(name) | Name::Lone(name) => name.clone(),
        Name::Itself => Cow::Borrowed(""),
    });
    let mut table = Table {
        columns: columns.collect(),
        cells: Vec::new(),
    };
    let mut cells = Vec::new();
    for (number, line) in lines {
        let wrong = |why| Malformed::new(number + 1, why);
        split(line, Place::Line, head.width, &mut cells).map_err(wrong)?;
        let scope = Scope {
            head: &head,
            cells: &cells,
            up: None,
        };
        for leaf in 0..table.columns.len() {
            table.cells.push(match scope.found(leaf).map_err(wrong)? {
                Found::Absent => Cell::Absent,
                Found::Token(token) => Cell::Json(token),
                Found::Nested(nested) => Cell::Json(Cow::Borrowed(nested)),
                found => Cell::Text(found.material().map_err(wrong)?),
            });
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell() -> impl Strategy<Value = Cell<'static>> {
        let text = prop_oneof![
            any::<String>(),
            "[-~=,;\"\\[\\]{} a1.\n\r\t*%@!]{0,4}",
            "20(24|25)-0[12]-1[0-9]T0[0-9]:0[0-9]",
            "https://(a|b)[.]c/[0-9]",
            "[0-3]",
            Just("null".to_owned())
        ];
        prop_oneof![
            Just(Cell::Absent),
            text.clone().prop_map(|text| Cell::Text(text.into())),
            text.prop_map(|text| Cell::loose(&text).into_owned()),
        ]
    }

    proptest! {
        #[test]
        fn a_table_is_restored(
            columns in prop::collection::vec(any::<String>(), 1..5),
            cells in prop::collection::vec(cell(), 0..50),
        ) {
            let mut cells = cells;
            cells.truncate(cells.len() / columns.len() * columns.len());
            let columns = columns.into_iter().map(Cow::Owned).collect();
            let table = Table { columns, cells };
            let written = write(&table, &Context::default()).unwrap();
            prop_assert_eq!(read(&written.lines).unwrap(), table, "{}", written.lines);
        }
    }
}
