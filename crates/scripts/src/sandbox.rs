//! Restrictions of a tool: resource limits, and the files and ports that it may access.
//!
//! | level | meaning |
//! |---|---|
//! | 0 | only the environment is restricted |
//! | 1 | the tool cannot gain privileges |
//! | 2 | only granted files and TCP ports; root loses other capabilities; system calls around this are refused |
//!
//! Limits apply at every level. Level 1 costs nothing: the threads that start programs have dropped their
//! privileges (`linkspan_spawn::Spawner`). Limits and level 2 need a few calls in the new process before the
//! program begins. Code between fork and exec would have to be async-signal-safe, and a fork of a large server
//! is expensive, so the server starts this program again; it applies a [`Profile`] to itself and executes the
//! tool: `linkspan __exec PROFILE -- WORDS`, which is [`exec`].
//!
//! `needs.rs` has the default grants of level 2; `confine.rs` and `seccomp.rs` describe what is enforced and
//! what cannot be. If something cannot be enforced the tool does not run, unless the sandbox is `optional`.

mod capabilities;
mod confine;
mod exec;
#[cfg(target_os = "linux")]
mod grant;
mod limits;
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "what level 2 grants is read by Landlock only")
)]
mod needs;
mod profile;
#[cfg_attr(
    not(all(
        target_os = "linux",
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64"
        )
    )),
    path = "sandbox/no_seccomp.rs"
)]
mod seccomp;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub use confine::{Support, support};
pub use exec::{NotRun, exec};
pub use needs::Variables;
pub use profile::{Profile, lexical};
pub(crate) use seccomp::decide;
