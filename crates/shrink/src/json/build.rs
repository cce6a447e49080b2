//! Converts arrays of objects to tables.

use std::borrow::Cow;
use std::cell::Cell as Slot;

use super::bare;
use super::merge::{Merged, NONE};
use super::names::Spelled;
use super::parse::{Document, Id, ValueKind};
use crate::context::{Context, Level as Strength};
use crate::table::level::{Body, Bracket, Column, Entry, Level, Name, Rows};
use crate::table::{Cell, Marks, Page, Place, saving, write_level};

/// Builds tables from a document's arrays.
pub(crate) struct Builder<'b, 'a> {
    pub(crate) document: &'b Document<'a>,
    pub(crate) context: &'b Context,
    pub(crate) notes: Notes,
    pub(crate) has_tables: bool,
}

/// Whether rows may be values other than objects that fit the columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Irregular {
    None,
    Some,
}

/// The notations used, which the head must explain.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) marks: Slot<Marks>,
    pub(crate) in_place: Slot<bool>,
    pub(crate) members: Slot<bool>,
}

impl<'b, 'a> Builder<'b, 'a> {
    pub(crate) fn new(document: &'b Document<'a>, context: &'b Context) -> Self {
        Self {
            document,
            context,
            notes: Notes::default(),
            has_tables: true,
        }
    }

    pub(crate) fn without_tables(self) -> Self {
        Self {
            has_tables: false,
            ..self
        }
    }

    /// A table of rows, if it is likely to save more than `price` tokens. With `names`, the rows are members of an
    /// object.
    pub(crate) fn page(
        &self,
        rows: &[Id],
        names: Option<&[super::names::Name]>,
        place: Place,
        price: usize,
    ) -> Option<Page> {
        let is_object = |row: &&Id| self.document.value(**row).kind == ValueKind::Object;
        let objects = rows.iter().filter(is_object).count();
        let level = match (objects * 2 > rows.len(), names) {
            (true, None) => self.level(rows, price, Irregular::Some)?,
            (true, Some(names)) => {
                let mut level = self.level(rows, price, Irregular::Some)?;
                self.name_rows(&mut level, names)?;
                level
            }
            (false, None) if objects == 0 => self.list(rows, price)?,
            (false, Some(names)) if objects == 0 => return self.map(rows, names, place, price),
            _ => return None,
        };
        self.write_page(&level, place)
    }

    /// Adds the names of members as the first column.
    fn name_rows(&self, level: &mut Level<'a>, names: &[super::names::Name]) -> Option<()> {
        let mut column = self.names(names)?;
        if let Body::Cells(cells) = &mut column.body {
            for (row, value) in &mut level.irregular {
                let mut member = String::new();
                bare::write_key(self.document.names.get(names[*row]), &mut member);
                member.push(':');
                member.push_str(value);
                *value = member;
                cells[*row] = Cell::Absent;
            }
        }
        level.columns.insert(0, column);
        Some(())
    }

    /// A table of an object whose values are strings, if the values can be derived from the names.
    fn map(
        &self,
        rows: &[Id],
        names: &[super::names::Name],
        place: Place,
        price: usize,
    ) -> Option<Page> {
        let is_text = |row: &Id| {
            matches!(
                self.document.value(*row).kind,
                ValueKind::Plain | ValueKind::Escaped
            )
        };
        if rows.len() < 4 || !rows.iter().all(is_text) {
            return None;
        }
        let values = Column {
            name: Name::Itself,
            body: Body::Cells(rows.iter().map(|row| self.cell(*row)).collect()),
        };
        let mut plain = String::new();
        for (name, row) in names.iter().zip(rows) {
            bare::write_key(self.document.names.get(*name), &mut plain);
            plain.push(':');
            self.write(*row, &mut plain, None);
            plain.push(',');
        }
        let level = Level {
            rows: rows.len(),
            columns: vec![self.names(names)?, values],
            irregular: Vec::new(),
        };
        let before = self.notes.marks.get();
        let page = self.write_page(&level, place)?;
        let tokens = page.tokens(self.context) + price as u64 + 4;
        if tokens < self.context.tokens(&plain) {
            return Some(page);
        }
        self.notes.marks.set(before);
        None
    }

    /// A table of JSON lines.
    pub(crate) fn lines(&self, lines: &[Option<Id>]) -> Option<Page> {
        let rows: Vec<Id> = lines.iter().map(|line| line.unwrap_or(NONE)).collect();
        let mut level = self.level(&rows, 0, Irregular::Some)?;
        let blank = lines.iter().enumerate().filter(|(_, line)| line.is_none());
        level
            .irregular
            .extend(blank.map(|(row, _)| (row, String::new())));
        level.irregular.sort_unstable();
        self.write_page(&level, Place::Line)
    }

    fn write_page(&self, level: &Level<'a>, place: Place) -> Option<Page> {
        let page = write_level(level, place, self.context)?;
        let mut marks = self.notes.marks.get();
        marks.join(page.marks);
        self.notes.marks.set(marks);
        Some(page)
    }

    /// The names of members as a column.
    fn names(&self, names: &[super::names::Name]) -> Option<Column<'a>> {
        let cell = |name: &super::names::Name| match self.document.names.get(*name) {
            Spelled::Text(text) => Some(Cell::Text(text.clone())),
            Spelled::Lone(_) => None,
        };
        let cells: Option<Vec<_>> = names.iter().map(cell).collect();
        Some(Column {
            name: Name::Itself,
            body: Body::Cells(cells?),
        })
    }

    /// A table of an array of scalars, if the values share enough to save tokens. Arrays of equal length become one
    /// column per position.
    fn list(&self, rows: &[Id], price: usize) -> Option<Level<'a>> {
        if self.context.level < Strength::Balanced || rows.len() < 3 {
            return None;
        }
        let first = self.document.value(*rows.first()?);
        let width = first.count as usize;
        let is_grid = first.kind == ValueKind::Array
            && width > 1
            && rows.iter().all(|row| {
                let value = self.document.value(*row);
                value.kind == ValueKind::Array && value.count as usize == width
            });
        let mut columns = vec![Vec::with_capacity(rows.len()); if is_grid { width } else { 1 }];
        for row in rows {
            // Nested values are excluded: if the table is rejected, they would be written a second time.
            let is_flat = |id: Id| {
                !matches!(
                    self.document.value(id).kind,
                    ValueKind::Array | ValueKind::Object
                )
            };
            if !is_grid {
                columns[0].push(is_flat(*row).then(|| self.cell(*row))?);
                continue;
            }
            for (column, id) in columns.iter_mut().zip(self.document.inside(*row)) {
                column.push(is_flat(id).then(|| self.cell(id))?);
            }
        }
        let saved: i64 = columns
            .iter()
            .map(|cells| saving(cells, self.context))
            .sum();
        if saved <= price as i64 + 2 {
            return None;
        }
        let columns = columns.into_iter().map(|cells| Column {
            name: Name::Itself,
            body: Body::Cells(cells),
        });
        Some(Level {
            rows: rows.len(),
            columns: columns.collect(),
            irregular: Vec::new(),
        })
    }

    /// A table of rows, if it is likely to save more than `price` tokens. Rows that are [`NONE`] stay so.
    fn level(&self, rows: &[Id], price: usize, irregular: Irregular) -> Option<Level<'a>> {
        if self.context.stop.is_set() {
            return None;
        }
        let merged = Merged::of(self.document, rows)?;
        if merged.irregular > 0 && irregular == Irregular::None {
            return None;
        }
        if merged.names.is_empty() || self.gain(&merged, rows) <= 10 * price as i64 {
            return None;
        }
        let mut columns = vec![vec![NONE; rows.len()]; merged.names.len()];
        let mut irregular = Vec::new();
        for (row, id) in rows.iter().enumerate() {
            if *id == NONE {
                continue;
            }
            match merged.places(self.document, *id) {
                Some(places) => {
                    for (place, value) in places.iter().zip(self.document.inside(*id)) {
                        columns[*place as usize][row] = value;
                    }
                }
                None => irregular.push((row, self.text(*id))),
            }
        }
        let here = rows.len() - irregular.len() - rows.iter().filter(|row| **row == NONE).count();
        let named = merged.names.iter().zip(&columns);
        let columns = named.map(|(name, ids)| Column {
            name: self.name(*name),
            body: self.body(ids, here),
        });
        Some(Level {
            rows: rows.len(),
            columns: columns.collect(),
            irregular,
        })
    }

    /// The estimated saving of writing the names once, in tenths of a token.
    fn gain(&self, merged: &Merged, rows: &[Id]) -> i64 {
        let words: i64 = merged.names.iter().map(|name| self.price(*name)).sum();
        let each = words / merged.names.len().max(1) as i64;
        let places = merged.names.len().saturating_mul(rows.len());
        let absent = places.saturating_sub(merged.members) as i64;
        // Names that many objects lack are likely to be rare ones: each absence costs, and little is saved.
        each * merged.members as i64
            - words
            - absent.saturating_mul(4)
            - 20 * merged.irregular as i64
    }

    fn price(&self, name: super::names::Name) -> i64 {
        let (Spelled::Text(text) | Spelled::Lone(text)) = self.document.names.get(name);
        20 + 2 * text.len() as i64
    }

    fn name(&self, name: super::names::Name) -> Name<'a> {
        match self.document.names.get(name).clone() {
            Spelled::Text(text) => Name::Text(text),
            Spelled::Lone(text) => Name::Lone(text),
        }
    }

    /// The column of one name. `here` is the number of rows with objects that fit.
    fn body(&self, ids: &[Id], here: usize) -> Body<'a> {
        let mut objects = 0;
        let mut lists = 0;
        let mut elements = 0;
        for id in ids.iter().filter(|id| **id != NONE) {
            let value = self.document.value(*id);
            match value.kind {
                ValueKind::Object => objects += 1,
                ValueKind::Array => {
                    lists += 1;
                    elements += value.count as usize;
                }
                _ => {}
            }
        }
        if objects == here
            && let Some(level) = self.level(ids, 0, Irregular::None)
        {
            return Body::Group(level.columns);
        }
        let rows = match (objects, lists) {
            _ if self.context.level < Strength::Max => None,
            (0, 1..) if elements > 1 && !self.is_one(ids) => self.rows(ids, Bracket::Square),
            (2.., 0) if !self.is_one(ids) => self.rows(ids, Bracket::Curly),
            _ => None,
        };
        match rows {
            Some(rows) => Body::Rows(rows),
            None => Body::Cells(ids.iter().map(|id| self.cell(*id)).collect()),
        }
    }

    /// Whether all nested values are equal; then they are shorter as whole values.
    fn is_one(&self, ids: &[Id]) -> bool {
        let is_list = |id: &&Id| match **id {
            NONE => false,
            id => matches!(
                self.document.value(id).kind,
                ValueKind::Array | ValueKind::Object
            ),
        };
        let mut spellings = ids
            .iter()
            .filter(is_list)
            .map(|id| self.document.spelling(*id));
        let first = spellings.next();
        spellings.all(|spelling| Some(spelling) == first)
    }

    fn rows(&self, ids: &[Id], bracket: Bracket) -> Option<Rows<'a>> {
        let mut rows = Vec::new();
        let mut entries = Vec::with_capacity(ids.len());
        for id in ids {
            let kind = match *id {
                NONE => None,
                id => Some(self.document.value(id).kind),
            };
            let before = rows.len();
            match (kind, bracket) {
                (Some(ValueKind::Object), Bracket::Curly) => rows.push(*id),
                (Some(ValueKind::Array), Bracket::Square) => rows.extend(self.document.inside(*id)),
                _ => {
                    entries.push(Entry::Cell(self.cell(*id)));
                    continue;
                }
            }
            entries.push(Entry::Rows(rows.len() - before));
        }
        let is_object = |row: &Id| self.document.value(*row).kind == ValueKind::Object;
        let level = if rows.first().is_some_and(is_object) {
            self.level(&rows, 0, Irregular::Some)
        } else {
            self.list(&rows, 0)
        };
        Some(Rows {
            bracket,
            level: level?,
            entries,
        })
    }

    fn cell(&self, id: Id) -> Cell<'a> {
        if id == NONE {
            return Cell::Absent;
        }
        match self.document.value(id).kind {
            ValueKind::Plain | ValueKind::Escaped => Cell::Text(self.document.string(id)),
            ValueKind::Number | ValueKind::Word | ValueKind::Lone => {
                Cell::Json(Cow::Borrowed(self.document.spelling(id)))
            }
            ValueKind::Array | ValueKind::Object => Cell::Json(Cow::Owned(self.text(id))),
        }
    }
}
