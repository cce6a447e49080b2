//! Serving a project: the project as it was read last, and the connections to it.

use std::path::Path;
use std::sync::Arc;

use linkspan_session::Port;
use linkspan_wire::{Limits, RpcError};
use parking_lot::RwLock;
use tokio::io::{AsyncRead, AsyncWrite};

use super::desk::Connection;
use super::detect;
use super::door::TokenError;
use super::env::Tooling;
use super::shelf::Shelf;
use super::vars::Vars;
use linkspan_scripts::folder::{Catalogue, FolderError};
use linkspan_scripts::{Conventions, Folder, OpenError, Options, ServerFiles};

/// Whose conventions a folder is served by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compat {
    /// Those of mcp-bash if the folder is one of its projects, else linkspan's.
    Auto,
    /// Those of linkspan.
    Native,
    /// Those of mcp-bash.
    McpBash,
}

impl Compat {
    /// Whether the folder is served by the conventions of mcp-bash.
    pub fn is_mcp_bash(self, root: &Path) -> bool {
        match self {
            Self::Auto => detect(root).is_some(),
            Self::Native => false,
            Self::McpBash => true,
        }
    }
}

/// A folder that is open.
pub struct Served {
    /// What serves it.
    pub folder: Arc<Folder>,
    /// Its project, if it is one of mcp-bash.
    pub project: Option<McpBash>,
}

/// Opens a folder by the conventions that `compat` chooses.
pub fn open(root: &Path, options: Options, compat: Compat) -> Result<Served, OpenError> {
    if !compat.is_mcp_bash(root) {
        return Ok(Served {
            folder: Folder::open(root, options)?,
            project: None,
        });
    }
    let files = ServerFiles::prepare(&options.exe, &options.temp)?;
    let project = McpBash::new(&options, &files);
    Ok(Served {
        folder: Folder::open_with(root, options, files, Box::new(project.clone()))?,
        project: Some(project),
    })
}

/// The conventions of mcp-bash, for one folder. Clones share the project.
#[derive(Clone)]
pub struct McpBash(Arc<Inner>);

struct Inner {
    vars: Vars,
    tooling: Tooling,
    /// `None` until the project has been read.
    current: RwLock<Option<Arc<Shelf>>>,
}

impl McpBash {
    fn new(options: &Options, files: &ServerFiles) -> Self {
        Self(Arc::new(Inner {
            vars: options.env.iter().cloned().collect(),
            tooling: Tooling {
                home: files.installed.home.clone(),
                sdk: files.installed.sdk.clone(),
                jq: files.installed.jq.clone(),
                state: files.run_folder().to_owned(),
                trust_everybody: options.trust_everybody,
            },
            current: RwLock::new(None),
        }))
    }

    /// The project as it was read last.
    pub(crate) fn current(&self) -> Result<Arc<Shelf>, RpcError> {
        let current = self.0.current.read().clone();
        current.ok_or_else(|| RpcError::internal("the project has not been read"))
    }

    /// A front on stdin and stdout with mcp-bash's deviations from the protocol.
    pub fn door(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        limits: Limits,
    ) -> Option<Result<Port, TokenError>> {
        Some(self.current().ok()?.door(reader, writer, limits))
    }
}

impl Conventions for McpBash {
    fn read(&self, root: &Path, _: Option<&Catalogue>) -> Result<Catalogue, FolderError> {
        let shelf = Shelf::read(root, &self.0.vars, &self.0.tooling)?;
        let catalogue = shelf.project.catalogue();
        *self.0.current.write() = Some(Arc::new(shelf));
        Ok(catalogue)
    }

    /// Every file is checked again before it is run.
    fn untrusted(&self, _: &Catalogue) -> Option<Catalogue> {
        None
    }

    fn port(&self, folder: &Arc<Folder>) -> Port {
        folder.connect(Connection::new(folder.clone(), self.clone()))
    }
}
