//! Merges the orders of the names of many objects.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::names::Name;
use super::parse::{Document, Id, ValueKind};

/// A missing value.
pub(crate) const NONE: Id = Id::MAX;

/// If the shapes have no common order, how many of the most frequent are merged.
const VOTES: usize = 16;

/// A common order of names, and the position of each member of an object in it.
pub(crate) struct Merged {
    pub(crate) names: Vec<Name>,
    /// The positions of the members of each shape that fits.
    places: HashMap<u32, Vec<u32>>,
    /// The total number of members of the objects that fit.
    pub(crate) members: usize,
    /// The number of rows that do not fit or are not objects.
    pub(crate) irregular: usize,
}

impl Merged {
    /// The order that most objects among `rows` follow.
    pub(crate) fn of(document: &Document<'_>, rows: &[Id]) -> Option<Self> {
        let mut counts: Vec<(u32, usize)> = Vec::new();
        let mut known: HashMap<u32, usize> = HashMap::new();
        let mut irregular = 0;
        let mut last = (u32::MAX, 0);
        for row in rows.iter().filter(|row| **row != NONE) {
            let value = document.value(*row);
            if value.kind != ValueKind::Object || document.shapes[value.shape as usize].repeats {
                irregular += 1;
                continue;
            }
            if value.shape != last.0 {
                let at = *known.entry(value.shape).or_insert_with(|| {
                    counts.push((value.shape, 0));
                    counts.len() - 1
                });
                last = (value.shape, at);
            }
            counts[last.1].1 += 1;
        }
        let shapes: Vec<u32> = counts.iter().map(|(shape, _)| *shape).collect();
        let names = match order(document, &shapes) {
            Some(names) => names,
            None => vote(document, &mut counts.clone())?,
        };
        let at: HashMap<Name, u32> = names.iter().copied().zip(0..).collect();
        let mut merged = Self {
            names,
            places: HashMap::new(),
            members: 0,
            irregular,
        };
        for (shape, count) in counts {
            let names = &document.shapes[shape as usize].names;
            let places: Option<Vec<u32>> = names.iter().map(|name| at.get(name).copied()).collect();
            match places.filter(|places| places.is_sorted()) {
                Some(places) => {
                    merged.members += count * places.len();
                    merged.places.insert(shape, places);
                }
                None => merged.irregular += count,
            }
        }
        Some(merged)
    }

    /// The position of each member of an object; `None` if it does not fit or is not an object.
    pub(crate) fn places(&self, document: &Document<'_>, id: Id) -> Option<&[u32]> {
        let places = self.places.get(&document.value(id).shape)?;
        Some(places)
    }
}

/// A topological order of the names of all these shapes, if there is one.
fn order(document: &Document<'_>, shapes: &[u32]) -> Option<Vec<Name>> {
    if let [shape] = shapes {
        return Some(document.shapes[*shape as usize].names.to_vec());
    }
    // For each name, the names that directly follow it. Names are numbered in order of appearance.
    let mut numbers: HashMap<Name, usize> = HashMap::new();
    let mut names: Vec<Name> = Vec::new();
    let mut after: Vec<Vec<usize>> = Vec::new();
    let mut before: Vec<usize> = Vec::new();
    for shape in shapes {
        let mut last = None;
        for name in &document.shapes[*shape as usize].names {
            let number = *numbers.entry(*name).or_insert_with(|| {
                names.push(*name);
                after.push(Vec::new());
                before.push(0);
                names.len() - 1
            });
            if let Some(last) = last.replace(number) {
                after[last].push(number);
            }
        }
    }
    for list in &mut after {
        list.sort_unstable();
        list.dedup();
        for number in list {
            before[*number] += 1;
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    let first = (0..names.len()).filter(|number| before[*number] == 0);
    ready.extend(first.map(Reverse));
    let mut ordered = Vec::with_capacity(names.len());
    while let Some(Reverse(number)) = ready.pop() {
        ordered.push(names[number]);
        for next in &after[number] {
            before[*next] -= 1;
            if before[*next] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    (ordered.len() == names.len()).then_some(ordered)
}

/// An order that the most frequent shapes follow. Shapes that contradict it are skipped.
fn vote(document: &Document<'_>, counts: &mut [(u32, usize)]) -> Option<Vec<Name>> {
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let mut kept = Vec::new();
    let mut best = None;
    for (shape, _) in counts.iter().take(VOTES) {
        kept.push(*shape);
        match order(document, &kept) {
            Some(names) => best = Some(names),
            None => {
                kept.pop();
            }
        }
    }
    best
}
