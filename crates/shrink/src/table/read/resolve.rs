//! Resolves references between columns.

use super::cursor::Wrong;
use super::head::{Field, Head, Leaf};
use super::spec::{ParsedSpec, Part};
use crate::table::naming::{Naming, Path};

impl<'t> Head<'t> {
    /// Resolves the references of templates to other columns. `outer` has the enclosing tables, innermost last, each
    /// with the group that contains this one.
    pub(super) fn resolve(&mut self, outer: &mut Vec<Outer<'t>>) -> Result<(), Wrong> {
        let own = Outer {
            made: self.leaves.iter().map(Leaf::is_made).collect(),
            naming: std::mem::take(&mut self.naming),
            group: 0,
        };
        for leaf in &mut self.leaves {
            let ParsedSpec::Template(made) = &mut leaf.spec else {
                continue;
            };
            for part in &mut made.parts {
                let Part::Other {
                    path, up, leaf: at, ..
                } = part
                else {
                    continue;
                };
                let found = find(&own, leaf.group, outer, path);
                let (found_up, found, is_made) = found.ok_or("an unknown column")?;
                if is_made {
                    return Err("a column derived from a derived column");
                }
                (*up, *at) = (found_up, found);
            }
        }
        outer.push(own);
        let result = resolve_fields(&mut self.fields, outer);
        if let Some(own) = outer.pop() {
            self.naming = own.naming;
        }
        result
    }
}

/// An enclosing table in which references are looked up.
pub(super) struct Outer<'t> {
    naming: Naming<'t>,
    made: Vec<bool>,
    group: usize,
}

/// The table that a reference leads to, counted outwards, the column in it, and whether that column is derived itself.
fn find<'t>(
    own: &Outer<'t>,
    group: usize,
    outer: &[Outer<'t>],
    path: &Path<'t>,
) -> Option<(usize, usize, bool)> {
    let mut out = path.out;
    let here = std::iter::once((own, group));
    let tables = here.chain(outer.iter().rev().map(|outer| (outer, outer.group)));
    for (up, (table, group)) in tables.enumerate() {
        match table.naming.resolve(group, out, &path.names) {
            Ok(leaf) => return Some((up, leaf, *table.made.get(leaf)?)),
            Err(left) => out = left,
        }
    }
    None
}

fn resolve_fields<'t>(fields: &mut [Field<'t>], outer: &mut Vec<Outer<'t>>) -> Result<(), Wrong> {
    for field in fields {
        match field {
            Field::Leaf(_) => {}
            Field::Group(_, members) => resolve_fields(members, outer)?,
            Field::Rows { head, group, .. } => {
                if let Some(last) = outer.last_mut() {
                    last.group = *group;
                }
                head.resolve(outer)?;
            }
        }
    }
    Ok(())
}
