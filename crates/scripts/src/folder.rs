//! Finds, describes and checks the entries of a folder. Never executes them.

mod again;
mod apply;
mod arguments;
mod catalogue;
mod changes;
mod completions;
mod declared;
mod describe;
mod exec;
mod fields;
mod files;
mod front;
mod leftover;
mod listing;
mod meta;
mod mime;
mod names;
mod node;
mod placeholders;
mod programs;
mod prompts;
mod readable;
mod reader;
mod resources;
mod script;
mod server;
mod settings;
mod skills;
#[cfg(test)]
mod testing;
mod tool_schemas;
mod tools;
mod units;
mod uri;

/// The folders in the root that contain entries.
pub(crate) const ENTRY_FOLDERS: [&str; 6] = [
    "tools",
    "prompts",
    "resources",
    "skills",
    "completions",
    "providers",
];

pub use crate::trust::Distrust;
pub use catalogue::{
    Argument, Catalogue, Completion, CompletionTarget, Fix, Ignored, Problem, Program, Prompt,
    PromptBody, Provider, Read, Resource, Role, ServerInfo, Severity, Stamp, Template, Tool,
    Values,
};
pub use changes::{Changed, changes};
pub use fields::reference;
pub use leftover::untrusted_code;
pub use reader::{FolderError, ReadOptions, trusted_root};
pub use settings::{
    EnvMode, EnvSettings, LimitSettings, Mode, MountSettings, RunSettings, SandboxSettings,
    WorkerSettings,
};
