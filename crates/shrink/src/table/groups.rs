//! Numbers the columns and groups of a level in the order in which they are written.

use super::level::{Body, Column};

/// A position in the numbering of columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    pub(super) leaf: usize,
    pub(super) group: usize,
    pub(super) rows: usize,
}

impl Count {
    pub(super) const START: Self = Self {
        leaf: 0,
        group: 1,
        rows: 0,
    };
}

/// A group: its members, and the positions of its first and last.
pub(super) struct Group<'c, 'l> {
    pub(super) members: &'c [Column<'l>],
    pub(super) first: Count,
    pub(super) last: Count,
}

impl Group<'_, '_> {
    /// Whether a column is in this group.
    pub(super) fn has(&self, leaf: usize) -> bool {
        (self.first.leaf..self.last.leaf).contains(&leaf)
    }
}

/// Appends all groups in the order of numbering, outer ones first.
pub(super) fn find_groups<'c, 'l>(
    columns: &'c [Column<'l>],
    count: &mut Count,
    groups: &mut Vec<Group<'c, 'l>>,
) {
    for column in columns {
        match &column.body {
            Body::Cells(_) => count.leaf += 1,
            Body::Rows(_) => count.rows += 1,
            Body::Group(members) => {
                count.group += 1;
                let at = groups.len();
                groups.push(Group {
                    members,
                    first: *count,
                    last: *count,
                });
                find_groups(members, count, groups);
                groups[at].last = *count;
            }
        }
    }
}
