//! The commands: arguments, a library, and printing. No command imports another.

pub(crate) mod agent;
pub(crate) mod auth;
pub(crate) mod bcp;
pub(crate) mod completions;
pub(crate) mod conduct;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod doctor;
pub(crate) mod dropin;
pub(crate) mod expose;
pub(crate) mod gateway;
pub(crate) mod jq;
pub(crate) mod licenses;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod mcp_bash;
pub(crate) mod new;
pub(crate) mod run_tool;
pub(crate) mod scaffold;
pub(crate) mod sdk;
pub(crate) mod serve;
pub(crate) mod shrink;
pub(crate) mod try_out;
pub(crate) mod validate;
