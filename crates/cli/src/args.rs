//! Groups of arguments that several commands share.

pub(crate) mod acp;
mod eras;
pub(crate) mod folder;
pub(crate) mod lang;
pub(crate) mod listen;
mod log;
mod remote;
pub(crate) mod shrink;
mod values;

pub(crate) use eras::EraArgs;
pub(crate) use log::LogArgs;
pub(crate) use remote::{DEFAULT_TIMEOUT, RemoteArgs};
pub(crate) use values::{millis, seconds, size};
