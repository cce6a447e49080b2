//! The settings of the gateway: the member `linkspan` of a file.

use std::time::Duration;

use super::reader::{Field, Reader};
use super::rules;
use super::views::{self, Known};
use crate::names::{LEAST_NAME_LIMIT, NAME_LIMIT, Naming, Prefix};
use crate::policy::Policy;

const MEMBERS: [&str; 9] = [
    "prefix",
    "nameLimit",
    "timeout",
    "pins",
    "newTools",
    "tools",
    "toolsBudget",
    "views",
    "rules",
];
/// The largest limit of names.
const MOST_NAME_LIMIT: usize = 256;
/// The largest budget in tokens.
const MOST_TOKENS: usize = 10_000_000;
pub(super) const PIN_MODES: [(&str, PinMode); 3] = [
    ("off", PinMode::Off),
    ("warn", PinMode::Warn),
    ("block", PinMode::Block),
];
pub(super) const NEW_TOOLS: [(&str, NewTools); 2] =
    [("show", NewTools::Show), ("hide", NewTools::Hide)];
const LEVELS: [(&str, ToolLevel); 4] = [
    ("full", ToolLevel::Full),
    ("brief", ToolLevel::Brief),
    ("thin", ToolLevel::Thin),
    ("auto", ToolLevel::Auto),
];

/// The settings of the gateway. Options of the command line may replace those that are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether names have the alias of their server in front.
    pub prefix: Option<Prefix>,
    /// The longest advertised name.
    pub name_limit: Option<usize>,
    /// How long a call may be silent.
    pub timeout: Option<Duration>,
    /// What is done about changed definitions.
    pub pins: Option<PinMode>,
    /// What is done about new tools of known servers.
    pub new_tools: Option<NewTools>,
    /// How much of the definitions of tools clients get.
    pub tools: Option<ToolLevel>,
    /// The tokens that the definitions of tools may have.
    pub tools_budget: Option<usize>,
    /// Who may see and do what.
    pub policy: Policy,
}

/// What is done when the definition of a tool, a prompt or the instructions of a server differ from those pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PinMode {
    /// Nothing; there are no pins.
    Off,
    /// The change is logged.
    #[default]
    Warn,
    /// What changed is hidden until it is accepted.
    Block,
}

/// What is done about tools that a known server did not have before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NewTools {
    /// They are listed.
    #[default]
    Show,
    /// They are hidden until they are accepted.
    Hide,
}

/// How much of the definitions of tools clients get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ToolLevel {
    /// All of it.
    Full,
    /// The first sentence of a description, and the names and types of arguments.
    Brief,
    /// The first sentence of a description.
    Thin,
    /// As fits the client and the budget.
    #[default]
    Auto,
}

impl Settings {
    /// How names are advertised.
    pub fn naming(&self) -> Naming {
        Naming::new(
            self.prefix.unwrap_or_default(),
            self.name_limit.unwrap_or(NAME_LIMIT),
        )
    }
}

/// Reads `linkspan` of a file with these servers.
pub(super) fn read<'a>(
    field: &Field<'a>,
    mut known: Known<'_>,
    reader: &mut Reader<'a>,
) -> Settings {
    let Some(fields) = field.only(&MEMBERS, reader) else {
        return Settings::default();
    };
    let prefixes = [("always", Prefix::Always), ("never", Prefix::Never)];
    let prefix = fields
        .get("prefix")
        .and_then(|one| one.word(&prefixes, reader));
    known.prefix = prefix.unwrap_or_default();
    let limit = |one: Field<'a>, reader: &mut Reader<'a>| {
        one.count(LEAST_NAME_LIMIT, MOST_NAME_LIMIT, reader)
    };
    let views = views::read(fields.get("views"), known, reader);
    let names: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
    let rules = rules::read(fields.get("rules"), known, &names, reader);
    Settings {
        prefix,
        name_limit: fields.get("nameLimit").and_then(|one| limit(one, reader)),
        timeout: fields.get("timeout").and_then(|one| one.seconds(reader)),
        pins: fields
            .get("pins")
            .and_then(|one| one.word(&PIN_MODES, reader)),
        new_tools: fields
            .get("newTools")
            .and_then(|one| one.word(&NEW_TOOLS, reader)),
        tools: fields.get("tools").and_then(|one| level(&one, reader)),
        tools_budget: fields
            .get("toolsBudget")
            .and_then(|one| budget(&one, reader)),
        policy: Policy { views, rules },
    }
}

pub(super) fn level<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<ToolLevel> {
    field.word(&LEVELS, reader)
}

pub(super) fn budget<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Option<usize> {
    field.count(1, MOST_TOKENS, reader)
}
