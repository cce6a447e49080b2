//! Interned names of members.

use std::borrow::Cow;
use std::collections::HashMap;

use super::parse::ValueKind;

/// A name of [`Names`].
pub(crate) type Name = u32;

/// Interned names of members.
#[derive(Default)]
pub(crate) struct Names<'a> {
    all: Vec<Spelled<'a>>,
    ids: HashMap<Spelled<'a>, Name>,
}

/// A string: its text, or its spelling between quotes if a lone surrogate means it has no text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Spelled<'a> {
    Text(Cow<'a, str>),
    Lone(Cow<'a, str>),
}

impl<'a> Names<'a> {
    /// Interns the name between two quotes. Compares it with the likely name first.
    pub(crate) fn of(&mut self, kind: ValueKind, inside: &'a str, likely: Option<Name>) -> Name {
        let name = match kind {
            ValueKind::Plain => {
                if let Some(likely) = likely
                    && let Spelled::Text(text) = &self.all[likely as usize]
                    && *text == inside
                {
                    return likely;
                }
                Spelled::Text(Cow::Borrowed(inside))
            }
            _ => match crate::lexeme::unescape(inside) {
                Some(text) => Spelled::Text(Cow::Owned(text)),
                None => Spelled::Lone(Cow::Borrowed(inside)),
            },
        };
        if let Some(id) = self.ids.get(&name) {
            return *id;
        }
        let id = self.all.len() as Name;
        self.all.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    pub(crate) fn get(&self, name: Name) -> &Spelled<'a> {
        &self.all[name as usize]
    }
}
