//! Drives the machines of `linkspan-auth`: HTTP, the callback listener, the browser, key sets.
//!
//! An [`Account`] gives the requests of a port their credentials. What takes an exchange with an authorization server is
//! an [`Order`], which [`perform`] carries out under a lock that all processes of the user share; a [`Worker`] does so
//! in a process that outlives this one.

mod account;
mod attend;
pub mod aws;
mod browser;
mod browser_process;
mod callback;
mod challenge;
mod client_settings;
mod http;
mod loopback;
mod network;
mod pasted;
mod perform;
mod prompt;
pub mod resource;
mod settings;
mod stored;
#[cfg(test)]
mod tests;
mod transport;
mod work;
mod worker;

pub use account::{Account, Performer};
pub use attend::attend;
pub use browser::{can_show as can_show_browser, open as open_page};
pub use browser_process::BrowserProcess;
pub use challenge::challenge;
pub use client_settings::{ClientSettings, ClientSettingsError, IdpSettings};
pub use http::HttpTransport;
pub use loopback::{Loopback, PageResponse, escape_html, html_page};
pub use pasted::pasted_lines;
pub use perform::{PerformError, Person, perform};
pub use prompt::Prompt;
pub use settings::{Order, Settings, Task};
pub use stored::{
    Which, adopt_mcp_remote, import_mcp_remote, mcp_remote_lookup, sign_out, write_record,
};
pub use transport::{Offline, Sending, Transport, TransportError};
pub use work::work;
pub use worker::{Failure, Worker};
