//! What a sender wants to see or use.

use linkspan_wire::Json;

use super::sender::Sender;
use super::traits::Traits;
use super::view::View;
use crate::alias::Alias;
use crate::glob::Glob;
use crate::list::ListKind;
use crate::names::Naming;

/// A tool, prompt, resource or template, and who wants to see or use it.
#[derive(Debug, Clone)]
pub struct Access<'a> {
    /// The sender.
    pub sender: &'a Sender,
    /// Its view, see [`super::Policy::select`].
    pub view: Option<&'a View>,
    /// What it is.
    pub kind: ListKind,
    /// The server that has it.
    pub alias: &'a Alias,
    /// What a tool does, as its server says.
    pub traits: Traits,
    name: String,
    /// The same without a limit of its length, if that is another name.
    full: Option<String>,
}

impl<'a> Access<'a> {
    /// An item under the server's own name or URI, and its definition as far as it is known.
    pub fn new(
        sender: &'a Sender,
        view: Option<&'a View>,
        kind: ListKind,
        naming: Naming,
        (alias, own): (&'a Alias, &str),
        definition: Option<Json<'_>>,
    ) -> Self {
        let name = naming.for_patterns(kind, alias, own);
        let full = Naming::new(naming.prefix, usize::MAX).for_patterns(kind, alias, own);
        Self {
            sender,
            view,
            kind,
            alias,
            traits: Traits::of(definition),
            full: (full != name).then_some(full),
            name,
        }
    }

    /// The name that patterns are compared with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a pattern fits the name. A name that was shortened is compared in both forms, since a server could evade
    /// a pattern such as `*_delete` by a long name.
    pub(super) fn fits(&self, globs: &[Glob]) -> bool {
        let fits = |name: &str| globs.iter().any(|glob| glob.matches(name));
        fits(&self.name) || self.full.as_deref().is_some_and(fits)
    }
}
