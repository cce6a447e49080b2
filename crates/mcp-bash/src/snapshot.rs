//! A project as the server uses it: read once, rendered for clients.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use linkspan_session::Port;
use linkspan_wire::{Limits, RpcError};
use tokio::io::{AsyncRead, AsyncWrite};

use super::cursor::Pages;
use super::env::Tooling;
use super::manual::Kind;
use super::project::Project;
use super::stdio::{self, Lifetime, StdioFront, TokenError};
use super::vars::Vars;
use super::{ci, prompts, quirks, resources, tools};
use linkspan_scripts::folder::FolderError;

/// How many seconds a client may keep the connection open after `shutdown`.
const PATIENCE: u64 = 5;

/// A project with its lists as clients see them.
#[derive(Debug)]
pub(crate) struct ProjectSnapshot {
    pub(crate) project: Project,
    pub(crate) tooling: Tooling,
    pages: [OnceLock<Pages>; 4],
}

impl ProjectSnapshot {
    pub(crate) fn read(root: &Path, vars: &Vars, tooling: &Tooling) -> Result<Self, FolderError> {
        Ok(Self {
            project: Project::read(root, vars, tooling)?,
            tooling: tooling.clone(),
            pages: Default::default(),
        })
    }

    /// The port of the client on stdin and stdout.
    pub(crate) fn stdio_port(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        limits: Limits,
    ) -> Result<Port, TokenError> {
        let project = &self.project;
        ci::snapshot(&project.vars, &self.tooling, &project.places.root);
        let front = StdioFront::new(&project.vars, project.server.clone())?;
        let patience = project.vars.number("MCPBASH_SHUTDOWN_TIMEOUT");
        let patience = Duration::from_secs(patience.unwrap_or(PATIENCE));
        let lifetime = Lifetime::of(&project.vars);
        Ok(stdio::port(
            front, reader, writer, limits, patience, lifetime,
        ))
    }

    /// Itself, if entries of this kind could be read.
    pub(crate) fn readable(&self, kind: Kind) -> Result<&Self, RpcError> {
        match self.project.faults.get(kind) {
            Some(_) => Err(quirks::unreadable(kind)),
            None => Ok(self),
        }
    }

    /// A list.
    pub(crate) fn pages(&self, kind: Kind) -> &Pages {
        let all = &self.project;
        self.pages[match kind {
            Kind::Tools => 0,
            Kind::Resources => 1,
            Kind::Templates => 2,
            _ => 3,
        }]
        .get_or_init(|| match kind {
            Kind::Tools => Pages::new("tools", all.tools.iter().map(tools::shown)),
            Kind::Resources => Pages::new("resources", all.resources.iter().map(resources::shown)),
            Kind::Templates => {
                let templates = all.templates.iter().cloned();
                Pages::new(
                    "resourceTemplates",
                    templates.map(serde_json::Value::Object),
                )
            }
            _ => Pages::new("prompts", all.prompts.iter().map(prompts::shown)),
        })
    }
}
