//! The configuration of the gateway: the text of a file becomes values.
//!
//! Accepted are the `mcpServers` of Claude Desktop, Claude Code, Cursor, Windsurf, Cline and others, and the `servers`
//! with `inputs` of VS Code, as JSON with comments and trailing commas. Our settings are the members `linkspan` of the
//! file and of its servers: there, unknown members are errors. Members that only other programs know are ignored, among
//! them `timeout`, which some count in seconds and others in milliseconds.

mod change;
mod error;
mod field;
mod file;
mod hidden;
mod inputs;
mod reader;
mod resolve;
mod rules;
mod server;
mod settings;
mod source;
mod target;
mod template;
#[cfg(test)]
mod tests;
mod views;

use std::time::Duration;

pub use change::Changes;
pub use error::{ConfigError, ConfigErrors, Problem};
pub use hidden::Hidden;
pub use resolve::{Unresolved, Values};
pub use settings::{NewTools, PinMode, Settings, ToolLevel};
pub use source::Position;
pub use template::{Reference, Template, TemplateError};

use crate::alias::Alias;
use crate::digest::Digest;

/// What a configuration file says.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    /// The servers that are not disabled, in the order of the file.
    pub servers: Vec<ServerConfig>,
    /// The keys of disabled servers.
    pub disabled: Vec<String>,
    /// What `${input:…}` asks the user for.
    pub inputs: Vec<Input>,
    /// The settings of the gateway itself.
    pub settings: Settings,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its key in the file.
    pub key: String,
    /// Its short name: `as`, or made from the key.
    pub alias: Alias,
    /// How it is reached.
    pub target: Target,
    /// When it is started.
    pub start: Start,
    /// Whether clients with different credentials use the same process or connection.
    pub share: bool,
    /// How many calls it gets at the same time.
    pub concurrency: Option<usize>,
    /// How long a call may be silent, if not as in [`Settings::timeout`].
    pub timeout: Option<Duration>,
    /// What is done about changed definitions, if not as in [`Settings::pins`].
    pub pins: Option<PinMode>,
    /// What is done about new tools, if not as in [`Settings::new_tools`].
    pub new_tools: Option<NewTools>,
    /// Changes with the target, `share` and the inputs that are used, whatever their formatting and order: a server
    /// with the same digest keeps its process. References to secrets are in it, not the secrets. It is a hash, so a
    /// secret that is itself in the file can be confirmed by it, but not read.
    pub digest: Digest,
    /// Where its key is in the file.
    pub at: Position,
}

/// How a server is reached: with references as in the file, or with the values that replace them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target<T = Template> {
    /// A program that speaks MCP over stdio.
    Command {
        /// The program.
        program: T,
        /// Its arguments.
        args: Vec<T>,
        /// Variables that are added to its environment.
        env: Vec<(String, T)>,
        /// A file with further variables, which those in `env` override.
        env_file: Option<T>,
        /// Its working directory.
        cwd: Option<T>,
    },
    /// A server at a URL.
    Url {
        /// The URL; its scheme is http or https.
        url: T,
        /// The transport.
        transport: Transport,
        /// Headers of every request.
        headers: Vec<(String, T)>,
    },
    /// A folder of scripts.
    Folder(T),
}

/// The transport of a server at a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// To be found out.
    #[default]
    Auto,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE.
    Sse,
}

/// When a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// With the first request that needs it.
    #[default]
    Lazy,
    /// With the gateway.
    Eager,
}

/// A value that VS Code asks the user for once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name in `${input:…}`.
    pub id: String,
    /// What it is for.
    pub description: Option<String>,
    /// The default.
    pub default: Option<Hidden>,
    /// Whether it is hidden while it is typed.
    pub password: bool,
    /// The choices of a `pickString`.
    pub options: Vec<String>,
}

impl GatewayConfig {
    /// Reads the text of a file; its name is used in errors only.
    ///
    /// # Errors
    /// All mistakes in the file, as far as they can be found at once.
    pub fn read(name: &str, text: &str) -> Result<Self, ConfigErrors> {
        file::read(name, text)
    }

    /// What the configuration that comes after this one changes.
    pub fn changes<'a>(&'a self, next: &'a Self) -> Changes<'a> {
        change::between(self, next)
    }
}
