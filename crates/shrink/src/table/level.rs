//! A table as columns, including the tables in its cells.

use std::borrow::Cow;

use super::cell::Cell;

/// A table as columns: the rows of an array of objects, or of all arrays in one column.
#[derive(Debug, Default)]
pub(crate) struct Level<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column<'a>>,
    /// Irregular rows, in order, in short form: those that are not objects or do not fit the columns. They are absent
    /// in the columns.
    pub(crate) irregular: Vec<(usize, String)>,
}

/// A column with its name.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) body: Body<'a>,
}

/// The name of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Name<'a> {
    /// No name: the column has the elements of an array, or the names of members.
    Itself,
    /// A text.
    Text(Cow<'a, str>),
    /// A string with a lone surrogate, as spelled between its quotes.
    Lone(Cow<'a, str>),
}

/// The contents of a column.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    /// A value per row.
    Cells(Vec<Cell<'a>>),
    /// An object per row, with these members.
    Group(Vec<Column<'a>>),
    /// Tables in the cells.
    Rows(Rows<'a>),
}

/// A column with tables in its cells. `level` has the rows of all of them, concatenated.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) bracket: Bracket,
    pub(crate) level: Level<'a>,
    /// One entry per row of the column.
    pub(crate) entries: Vec<Entry<'a>>,
}

impl Rows<'_> {
    /// For each row of the tables, the row of the column that contains it.
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

/// The brackets around the rows in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// An array of objects.
    Square,
    /// One object.
    Curly,
}

/// A cell that may be a table.
#[derive(Debug)]
pub(crate) enum Entry<'a> {
    /// The next rows of the level, this many.
    Rows(usize),
    /// Neither an array nor an object.
    Cell(Cell<'a>),
}

/// The leaf columns of a level, which have values of their own, including those in groups, in order.
pub(super) struct Leaves<'l> {
    pub(super) all: Vec<Leaf<'l>>,
    /// The parent of each group. Group 0 is the level itself.
    pub(super) groups: Vec<usize>,
    pub(super) names: Vec<&'l Name<'l>>,
    /// The columns with tables in their cells, each with its group.
    pub(super) rows: Vec<(usize, &'l Rows<'l>)>,
}

/// A column with a value per row.
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

    /// How many groups contain a group.
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
