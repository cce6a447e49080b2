//! A table by its columns, and the tables in its cells.

use std::borrow::Cow;

use super::cell::Cell;

/// A table by its columns. The rows of an array of objects; or those of all arrays that stand in one column.
#[derive(Debug, Default)]
pub(crate) struct Level<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column<'a>>,
    /// Rows that are no objects or do not fit, in short form; in order. In the columns they are absent.
    pub(crate) odd: Vec<(usize, String)>,
}

/// A column and its name.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) body: Body<'a>,
}

/// What a column is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Name<'a> {
    /// Not at all: it is the element of a list itself, or the name of a member.
    Itself,
    /// By a text.
    Text(Cow<'a, str>),
    /// By a string with half a surrogate pair: how it is spelled between its quotes.
    Lone(Cow<'a, str>),
}

/// What stands in the rows of a column.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    /// A value for each row.
    Cells(Vec<Cell<'a>>),
    /// An object in each row; these are its members.
    Group(Vec<Column<'a>>),
    /// Tables in the cells.
    Rows(Rows<'a>),
}

/// A column with tables in its cells. Their rows are one after the other in `level`.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) bracket: Bracket,
    pub(crate) level: Level<'a>,
    /// For each row of the column.
    pub(crate) entries: Vec<Entry<'a>>,
}

impl Rows<'_> {
    /// For each row of the tables, the row of the column that it is in.
    pub(super) fn parents(&self) -> Vec<u32> {
        let mut parents = Vec::with_capacity(self.level.rows);
        for (row, entry) in self.entries.iter().enumerate() {
            if let Entry::Rows(count) = entry {
                parents.extend(std::iter::repeat_n(row as u32, *count));
            }
        }
        parents
    }
}

/// What holds rows in a cell together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// A list of objects.
    Square,
    /// One object.
    Curly,
}

/// A cell that is a table, or something else.
#[derive(Debug)]
pub(crate) enum Entry<'a> {
    /// As many rows as this, after those of the entries before.
    Rows(usize),
    /// Neither a list nor an object.
    Cell(Cell<'a>),
}

/// The columns of a level that have values of their own, also those in groups, in order.
pub(super) struct Leaves<'l> {
    pub(super) all: Vec<Leaf<'l>>,
    /// The group that each group is in. The first is the level itself.
    pub(super) groups: Vec<usize>,
    pub(super) names: Vec<&'l Name<'l>>,
    /// The group that each column with tables in its cells is in.
    pub(super) rows: Vec<(usize, &'l Rows<'l>)>,
}

/// A column with a value for each row.
pub(super) struct Leaf<'l> {
    pub(super) name: &'l Name<'l>,
    pub(super) group: usize,
    pub(super) cells: &'l [Cell<'l>],
}

impl<'l> Leaves<'l> {
    pub(super) fn of(level: &'l Level<'l>) -> Self {
        let mut leaves = Self {
            all: Vec::new(),
            groups: vec![0],
            names: vec![&Name::Itself],
            rows: Vec::new(),
        };
        leaves.gather(&level.columns, 0);
        leaves
    }

    /// How many groups a group is in.
    pub(super) fn depth(&self, group: usize) -> usize {
        let mut depth = 0;
        let mut at = group;
        while at > 0 {
            at = self.groups[at];
            depth += 1;
        }
        depth
    }

    fn gather(&mut self, columns: &'l [Column<'l>], group: usize) {
        for Column { name, body } in columns {
            match body {
                Body::Cells(cells) => self.all.push(Leaf { name, group, cells }),
                Body::Group(members) => {
                    let inner = self.groups.len();
                    self.groups.push(group);
                    self.names.push(name);
                    self.gather(members, inner);
                }
                Body::Rows(rows) => self.rows.push((group, rows)),
            }
        }
    }
}
