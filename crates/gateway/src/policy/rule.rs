//! A rule: which requests it is about, and what happens to them.

use linkspan_wire::Json;

use super::access::Access;
use super::arguments::ArgumentPath;
use super::limits::Rate;
use super::sender::Who;
use crate::alias::Alias;
use crate::glob::Glob;
use crate::list::ListKind;

/// A rule. It is about requests that fit all of its conditions; one that is `None` fits every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The sender.
    pub who: Option<Who>,
    /// The names of views of which one is used.
    pub views: Option<Vec<String>>,
    /// The servers of which one has the item.
    pub servers: Option<Vec<Alias>>,
    /// Patterns of which one fits the name of the tool. With them, the rule is about tools only.
    pub tools: Option<Vec<Glob>>,
    /// Conditions on the tool and its arguments. With any, the rule is about tools only.
    pub when: When,
    /// What happens.
    pub then: Then,
}

/// Conditions on a tool and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    /// Whether it changes nothing.
    pub read_only: Option<bool>,
    /// Whether it may delete or overwrite.
    pub destructive: Option<bool>,
    /// Whether a second call changes nothing more.
    pub idempotent: Option<bool>,
    /// Whether it reaches other systems.
    pub open_world: Option<bool>,
    /// Arguments, and patterns of which one fits.
    pub arguments: Vec<(ArgumentPath, Vec<Glob>)>,
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// It passes.
    Allow,
    /// It is refused.
    Deny {
        /// What the sender is told.
        reason: Option<String>,
    },
    /// The user is asked.
    Confirm {
        /// What the user is asked.
        question: Option<String>,
    },
    /// It passes, but not too often.
    Limit(Rate),
}

impl Rule {
    /// Whether it is about an item, whatever the arguments.
    pub(super) fn concerns(&self, access: &Access<'_>) -> bool {
        let is_view = |names: &Vec<String>| {
            let view = access.view.map(|view| &view.name);
            view.is_some_and(|view| names.contains(view))
        };
        let needs_tool = self.tools.is_some() || self.when != When::default();
        (!needs_tool || access.kind == ListKind::Tools)
            && self
                .who
                .as_ref()
                .is_none_or(|who| who.matches(access.sender))
            && self.views.as_ref().is_none_or(is_view)
            && self
                .servers
                .as_ref()
                .is_none_or(|servers| servers.contains(access.alias))
            && self.tools.as_ref().is_none_or(|globs| access.fits(globs))
            && self.when.has_traits(access)
    }

    /// Whether the arguments fit. An argument may have several values: a rule that allows needs all of them to fit, one
    /// that denies or asks needs one, so that a list cannot carry a value past the rule.
    pub(super) fn fits(&self, arguments: Option<Json<'_>>) -> bool {
        let is_strict = matches!(self.then, Then::Allow | Then::Limit(_));
        self.when.arguments.iter().all(|(path, globs)| {
            let fits = |text: &str| globs.iter().any(|glob| glob.matches(text));
            let values = path.values(arguments);
            if is_strict {
                !values.is_empty() && values.iter().all(|value| fits(value))
            } else {
                values.iter().any(|value| fits(value))
            }
        })
    }
}

impl When {
    fn has_traits(&self, access: &Access<'_>) -> bool {
        let traits = access.traits;
        let conditions = [
            (self.read_only, traits.read_only),
            (self.destructive, traits.destructive),
            (self.idempotent, traits.idempotent),
            (self.open_world, traits.open_world),
        ];
        let mut conditions = conditions.into_iter();
        conditions.all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == found))
    }
}
