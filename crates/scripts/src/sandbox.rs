//! What a tool may do: limits, and the files and ports that it may reach.
//!
//! | level | what it means |
//! |---|---|
//! | 0 | nothing but the environment is kept from it |
//! | 1 | it cannot gain privileges |
//! | 2 | it reaches the files and TCP ports that are granted, and no others; root has no capabilities besides; calls that would go around this are refused |
//!
//! Limits hold at every level. Level 1 costs nothing: the threads that start programs gave their
//! privileges up (`linkspan_spawn::Spawner`). Limits and level 2 need a few calls in the new process
//! before the program begins. That must not be between a fork and an exec, which is no place for Rust
//! code and expensive for a large server, so that our own program is started, applies a [`Profile`] to
//! itself and becomes the tool: `linkspan __exec PROFILE -- WORDS`, which is [`exec`].
//!
//! What level 2 grants without being asked is in `needs.rs`; how it is enforced, and what cannot be, in
//! `confine.rs` and `seccomp.rs`. If something cannot be enforced the tool does not run, unless it is `optional`.

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
