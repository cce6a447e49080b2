//! Building blocks for crates that serve a folder by the conventions of another program: see
//! [`Conventions`](crate::Conventions).

pub use crate::folder::{trusted_root, untrusted_code};
pub use crate::run::capture::{Large, Printed};
pub use crate::run::control::List;
pub use crate::run::env::{Env, put};
pub use crate::run::observer::{CallObserver, MessageLimits, Threshold};
pub use crate::run::{
    Busy, Ended, Job, Outcome, RunPermit, Runner, Stdin, on_one_line, random_name, run,
};
pub use crate::sandbox::lexical;
pub use crate::serve::git::read as read_git;
pub use crate::serve::jobs::{
    asked_timeout, bare_token, describe_caller, meta, progress_token, put_capabilities,
};
pub use crate::serve::{Diagnostic, FolderChange, FolderChanges};
pub use crate::trust::{Start, Trust, Untrusted, WalkError};
