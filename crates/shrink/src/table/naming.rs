//! How columns refer to each other.

use std::collections::HashMap;

use super::level::{Leaves, Name};
use super::plan::Scope;
use super::template::Other;
use crate::lexeme::quote;

/// What a name in a group refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Leaf(usize),
    Group(usize),
}

/// The names of a level: the direct contents of each group.
#[derive(Debug, Default)]
pub(super) struct Naming<'l> {
    /// The parent of each group; group 0 is the level itself.
    pub(super) groups: Vec<usize>,
    pub(super) inside: HashMap<(usize, Name<'l>), Meaning>,
}

impl<'l> Naming<'l> {
    pub(super) fn of(leaves: &Leaves<'l>) -> Self {
        let mut naming = Self {
            groups: leaves.groups.clone(),
            inside: HashMap::new(),
        };
        for (at, leaf) in leaves.all.iter().enumerate() {
            naming.add(leaf.group, leaf.name.clone(), Meaning::Leaf(at));
        }
        for (at, name) in leaves.names.iter().enumerate().skip(1) {
            naming.add(leaves.groups[at], (*name).clone(), Meaning::Group(at));
        }
        naming
    }

    /// Adds a name; the first of equal names wins.
    pub(super) fn add(&mut self, group: usize, name: Name<'l>, meaning: Meaning) {
        self.inside.entry((group, name)).or_insert(meaning);
    }

    /// The column at this path in `group` or an enclosing one, skipping the `out` innermost groups. `Err` has the
    /// number of groups that remain to be skipped outside this level.
    pub(super) fn resolve(
        &self,
        group: usize,
        out: usize,
        path: &[Name<'l>],
    ) -> Result<usize, usize> {
        let (mut group, mut out) = (group, out);
        loop {
            match out.checked_sub(1) {
                Some(less) => out = less,
                None => {
                    if let Some(leaf) = self.within(group, path) {
                        return Ok(leaf);
                    }
                }
            }
            match self.groups.get(group) {
                Some(outer) if group > 0 => group = *outer,
                _ => return Err(out),
            }
        }
    }

    fn within(&self, mut group: usize, path: &[Name<'l>]) -> Option<usize> {
        for (at, name) in path.iter().enumerate() {
            // The lookup needs an owned key.
            match self.inside.get(&(group, name.clone()))? {
                Meaning::Group(inner) => group = *inner,
                Meaning::Leaf(leaf) if at + 1 == path.len() => return Some(*leaf),
                Meaning::Leaf(_) => return None,
            }
        }
        None
    }
}

/// A reference to a column: names, starting `out` groups or tables further out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path<'l> {
    pub(super) out: usize,
    pub(super) names: Vec<Name<'l>>,
}

/// A reference from a column of a group to another one, if an unambiguous one exists.
pub(super) fn path<'l>(scope: &Scope<'_, 'l>, group: usize, other: Other) -> Option<Path<'l>> {
    let mut level = scope;
    let mut from = group;
    let mut out = 0;
    for _ in 0..other.up {
        out += level.leaves.depth(from) + 1;
        let up = level.up.as_ref()?;
        level = up.scope;
        from = up.group;
    }
    // Starts at the innermost group that contains both.
    let leaf = level.leaves.all.get(other.leaf)?;
    let mut names = vec![leaf.name.clone()];
    let mut inside = leaf.group;
    let mut around = from;
    let (mut deep, mut far) = (level.leaves.depth(inside), level.leaves.depth(around));
    while inside != around {
        if deep >= far {
            names.push(level.leaves.names[inside].clone());
            inside = level.leaves.groups[inside];
            deep -= 1;
        } else {
            around = level.leaves.groups[around];
            far -= 1;
            out += 1;
        }
    }
    names.reverse();
    let mut path = Path { out: 0, names };
    for out in [0, out] {
        path.out = out;
        if resolve(scope, group, &path) == Some((other.up, other.leaf)) {
            return Some(path);
        }
    }
    None
}

/// The table that a reference leads to, counted outwards, and the column in it.
fn resolve<'l>(scope: &Scope<'_, 'l>, group: usize, path: &Path<'l>) -> Option<(usize, usize)> {
    let (mut at, mut group, mut up, mut out) = (scope, group, 0, path.out);
    loop {
        match at.naming.resolve(group, out, &path.names) {
            Ok(leaf) => return Some((up, leaf)),
            Err(left) => out = left,
        }
        let outer = at.up.as_ref()?;
        (at, group, up) = (outer.scope, outer.group, up + 1);
    }
}

/// Writes a name in the line of columns.
pub(super) fn write(name: &Name<'_>, out: &mut String) {
    match name {
        Name::Itself => {}
        Name::Text(text) if is_bare(text) => out.push_str(text),
        Name::Text(text) => quote(text, out),
        Name::Lone(inside) => {
            out.push('"');
            out.push_str(inside);
            out.push('"');
        }
    }
}

/// Writes a reference in a template.
pub(super) fn write_path(path: &Path<'_>, out: &mut String) {
    for _ in 0..path.out {
        out.push('^');
    }
    for (at, name) in path.names.iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        match name {
            Name::Text(text) if text.contains(['.', '|']) || text.starts_with('^') => {
                quote(text, out);
            }
            name => write(name, out),
        }
    }
}

/// Whether a name needs no quotes to be read back.
fn is_bare(name: &str) -> bool {
    let is_end = |byte: u8| {
        byte < b' '
            || matches!(
                byte,
                b',' | b';' | b':' | b'[' | b']' | b'{' | b'}' | b'=' | b'"' | b'*' | 0x7f
            )
    };
    !name.is_empty()
        && !name.bytes().any(is_end)
        && !name.starts_with(['|', '!'])
        && !name.ends_with(['?', '@'])
        && name.trim().len() == name.len()
}
