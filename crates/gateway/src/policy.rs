//! Who sees which tools, prompts and resources, and which requests for them pass.
//!
//! A view filters lists and requests; of the rules, the first that matches a request decides. What no rule matches is
//! allowed. Nothing here trusts a client; conditions on annotations trust the server that sent them.

mod access;
mod arguments;
mod limits;
mod rule;
mod sender;
#[cfg(test)]
mod tests;
mod traits;
mod view;

pub use access::Access;
pub use arguments::ArgumentPath;
pub use limits::{Limits, Rate};
pub use rule::{Rule, Then, When};
pub use sender::{Named, Sender, Who};
pub use traits::Traits;
pub use view::{NoView, View};

use linkspan_wire::{Json, escape_line};

/// Characters of the arguments in a question.
const LONGEST_ARGUMENTS: usize = 800;

/// The views and rules of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// The views, in the order of the file.
    pub views: Vec<View>,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<'p> {
    /// It passes.
    Allow,
    /// It is refused.
    Deny(Denial<'p>),
    /// It passes if the user accepts.
    Confirm {
        /// The number of the rule, from 1.
        rule: usize,
        /// What the user is asked.
        question: String,
    },
    /// It passes if [`Limits::take`] allows it.
    Limit {
        /// The number of the rule, from 1.
        rule: usize,
        /// How often it may pass.
        rate: Rate,
    },
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denial<'p> {
    /// The view hides it. Clients should be told that it does not exist, as their lists say.
    #[error("the view `{}` does not have it", escape_line(.0))]
    View(&'p str),
    /// A rule denies it.
    #[error("{}", reason.unwrap_or("a rule of the gateway denies it"))]
    Rule {
        /// The number of the rule, from 1.
        rule: usize,
        /// The reason that the configuration gives.
        reason: Option<&'p str>,
    },
}

impl Denial<'_> {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::View(_) => "use a tool of the lists".to_owned(),
            Self::Rule { rule, .. } => {
                format!("see rule {rule} in the configuration of the gateway")
            }
        }
    }
}

impl Policy {
    /// The view of a sender that asked for the one with this name, or for none; `None` is everything.
    ///
    /// The user of this machine has every view. A sender that is named by views, through their keys and claims or
    /// through the views of its own key, has those views only, and the first of them is its default. Other senders
    /// have the views that name no sender, and everything only if no view names a sender.
    pub fn select(&self, name: Option<&str>, sender: &Sender) -> Result<Option<&View>, NoView> {
        let find = |name: &str| {
            let found = self.views.iter().find(|view| view.name == name);
            found.ok_or_else(|| NoView::Unknown(name.to_owned()))
        };
        if *sender == Sender::Local {
            return name.map(find).transpose();
        }
        let is_own = |view: &&View| {
            let names = view
                .senders
                .as_ref()
                .is_some_and(|named| named.matches(sender));
            names || sender.views().contains(&view.name)
        };
        let is_named = self.views.iter().any(|view| is_own(&view)) || !sender.views().is_empty();
        match name {
            Some(name) => {
                let view = find(name)?;
                let permitted = if is_named {
                    is_own(&view)
                } else {
                    view.senders.is_none()
                };
                permitted
                    .then_some(Some(view))
                    .ok_or_else(|| NoView::Refused(name.to_owned()))
            }
            None if is_named => {
                let first = self.views.iter().find(is_own);
                first.map(Some).ok_or(NoView::Nothing)
            }
            None if self.views.iter().any(|view| view.senders.is_some()) => Err(NoView::Nothing),
            None => Ok(None),
        }
    }

    /// Whether an item is in the lists of this sender: its view has it, and no rule denies it whatever its arguments.
    pub fn shows(&self, access: &Access<'_>) -> bool {
        if access.view.is_some_and(|view| !view.has(access)) {
            return false;
        }
        let mut rules = self.rules.iter().filter(|rule| rule.concerns(access));
        // A rule about arguments that denies some calls says nothing about the others.
        let first = rules
            .find(|rule| rule.when.arguments.is_empty() || !matches!(rule.then, Then::Deny { .. }));
        first.is_none_or(|rule| !matches!(rule.then, Then::Deny { .. }))
    }

    /// What happens to a request with these arguments.
    pub fn decide<'p>(&'p self, access: &Access<'p>, arguments: Option<Json<'_>>) -> Decision<'p> {
        if let Some(view) = access.view.filter(|view| !view.has(access)) {
            return Decision::Deny(Denial::View(&view.name));
        }
        let matches = |rule: &Rule| rule.concerns(access) && rule.fits(arguments);
        let Some(at) = self.rules.iter().position(matches) else {
            return Decision::Allow;
        };
        let number = at + 1;
        match &self.rules[at].then {
            Then::Allow => Decision::Allow,
            Then::Deny { reason } => Decision::Deny(Denial::Rule {
                rule: number,
                reason: reason.as_deref(),
            }),
            Then::Confirm { question } => Decision::Confirm {
                rule: number,
                question: asked(question.as_deref(), access, arguments),
            },
            Then::Limit(rate) => Decision::Limit {
                rule: number,
                rate: *rate,
            },
        }
    }

    /// Whether the lists of one address may differ between senders. The views of an API key count too, which are not
    /// known here.
    pub fn depends_on_sender(&self) -> bool {
        self.views.iter().any(|view| view.senders.is_some())
            || self.rules.iter().any(|rule| rule.who.is_some())
    }
}

/// A question that shows what would be called, whatever the text of the configuration. Names and arguments are escaped,
/// since the server and the client choose them.
fn asked(question: Option<&str>, access: &Access<'_>, arguments: Option<Json<'_>>) -> String {
    let question = question.unwrap_or("Allow this call?");
    let name = escape_line(access.name());
    let Some(arguments) = arguments else {
        return format!("{question}\n{name}");
    };
    let clipped: String = arguments.text().chars().take(LONGEST_ARGUMENTS).collect();
    let more = if clipped.len() < arguments.text().len() {
        "…"
    } else {
        ""
    };
    format!("{question}\n{name} {}{more}", escape_line(&clipped))
}
