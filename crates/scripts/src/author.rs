//! Tools for authors of a folder of scripts: templates, names, and the problems of a folder with their repairs.

pub mod doctor;
pub mod draft;
mod dry_run;
pub mod interpreters;
pub mod names;
mod repair;
mod report;
pub mod scaffold;
mod templates;
mod tool_call;

pub use dry_run::DryRun;
pub use repair::{Repair, repair};
pub use report::{Entries, Report, WriteEntry, errors, summary};
pub use templates::Lang;
pub use tool_call::{CallOutcome, UnknownTool, call_params, stderr_of};
