//! A part of what the servers have.

use super::access::Access;
use super::sender::Named;
use crate::alias::Alias;
use crate::config::ToolLevel;
use crate::glob::Glob;
use crate::list::ListKind;

/// A part of what the servers have, under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Its name, which is a part of a path.
    pub name: String,
    /// The servers; `None` for all.
    pub servers: Option<Vec<Alias>>,
    /// Patterns of which one fits the name of an item; `None` for all items.
    pub allow: Option<Vec<Glob>>,
    /// Patterns of which none fits the name of an item.
    pub deny: Vec<Glob>,
    /// Whether it has only tools that say that they change nothing. Prompts and resources are read anyway.
    pub read_only: bool,
    /// How much of the definitions of tools clients get, if not as in the settings.
    pub tools: Option<ToolLevel>,
    /// The tokens that the definitions of tools may have, if not as in the settings.
    pub budget: Option<usize>,
    /// The senders that have it; `None` for those that no view names.
    pub senders: Option<Named>,
}

impl View {
    /// Whether it has an item.
    pub(super) fn has(&self, access: &Access<'_>) -> bool {
        self.has_server(access.alias)
            && self.allow.as_deref().is_none_or(|globs| access.fits(globs))
            && !access.fits(&self.deny)
            && (!self.read_only || access.kind != ListKind::Tools || access.traits.read_only)
    }

    /// Whether it has anything of a server.
    pub fn has_server(&self, alias: &Alias) -> bool {
        let servers = self.servers.as_ref();
        servers.is_none_or(|servers| servers.contains(alias))
    }
}

/// Why a sender has no view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoView {
    /// There is no view with this name.
    #[error("there is no view `{}`", linkspan_wire::escape_line(.0))]
    Unknown(String),
    /// The view is not for this sender.
    #[error("the view `{}` is not for this sender", linkspan_wire::escape_line(.0))]
    Refused(String),
    /// No view is for this sender.
    #[error("no view is for this sender")]
    Nothing,
}

impl NoView {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "views are under \"views\" in the configuration of the gateway",
            Self::Refused(_) | Self::Nothing => {
                "\"keys\" and \"claim\" of a view name the senders that it is for"
            }
        }
    }
}
