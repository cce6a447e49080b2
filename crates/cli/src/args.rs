//! Groups of arguments that several commands share.

pub(crate) mod acp;
pub(crate) mod auth_guard;
mod aws;
mod eras;
pub(crate) mod folder;
pub(crate) mod gateway;
pub(crate) mod listen;
mod log;
pub(crate) mod named;
pub(crate) mod openapi;
mod remote;
pub(crate) mod shrink;
pub(crate) mod sign_in;
mod tool_lists;
mod values;

pub(crate) use aws::AwsArgs;
pub(crate) use eras::EraArgs;
pub(crate) use log::LogArgs;
pub(crate) use remote::{DEFAULT_TIMEOUT, RemoteArgs};
pub(crate) use tool_lists::ToolListArgs;
pub(crate) use values::{millis, seconds};
