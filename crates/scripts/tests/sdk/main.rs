//! Tests of the SDKs, run by their interpreters, with the server's end of the channel in the test.

mod as_mcp_bash;
mod bash;
mod channel;
mod files_of_mcp_bash;
mod languages;
mod lint;
mod worker;
