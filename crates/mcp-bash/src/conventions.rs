//! Serves a project: the last snapshot of the project, and its connections.

use std::path::Path;
use std::sync::Arc;

use linkspan_session::Port;
use linkspan_wire::{Limits, RpcError};
use parking_lot::RwLock;
use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::Connection;
use super::detect;
use super::env::Tooling;
use super::snapshot::ProjectSnapshot;
use super::stdio::TokenError;
use super::vars::Vars;
use linkspan_scripts::folder::{Catalogue, FolderError};
use linkspan_scripts::{CallerVariables, Conventions, Folder, OpenError, Options, ServerFiles};

/// The conventions that a folder is served by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderLayout {
    /// mcp-bash's if the folder is an mcp-bash project, else linkspan's.
    Auto,
    /// linkspan's.
    Native,
    /// mcp-bash's.
    McpBash,
}

impl FolderLayout {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        (
            "auto",
            Self::Auto,
            "mcp-bash's if the folder looks like an mcp-bash project, else linkspan's",
        ),
        ("native", Self::Native, "linkspan's"),
        ("mcp-bash", Self::McpBash, "mcp-bash's"),
    ];

    /// Whether the folder is served by the conventions of mcp-bash.
    pub fn is_mcp_bash(self, root: &Path) -> bool {
        match self {
            Self::Auto => detect(root).is_some(),
            Self::Native => false,
            Self::McpBash => true,
        }
    }
}

/// An open folder.
pub struct Served {
    /// The folder server.
    pub folder: Arc<Folder>,
    /// The project, if the folder is an mcp-bash project.
    pub project: Option<McpBash>,
}

/// Opens a folder by the conventions that `compat` chooses.
pub fn open(root: &Path, options: Options, compat: FolderLayout) -> Result<Served, OpenError> {
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

/// The conventions of mcp-bash for one folder. Clones share the project.
#[derive(Clone)]
pub struct McpBash(Arc<Inner>);

struct Inner {
    vars: Vars,
    tooling: Tooling,
    /// `None` until the project has been read.
    current: RwLock<Option<Arc<ProjectSnapshot>>>,
}

impl McpBash {
    fn new(options: &Options, files: &ServerFiles) -> Self {
        Self(Arc::new(Inner {
            vars: options.env.iter().cloned().collect(),
            tooling: Tooling {
                accept_writable: options.accept_writable,
                ..Tooling::new(files.installed.clone(), files.run_folder().to_owned())
            },
            current: RwLock::new(None),
        }))
    }

    /// The last snapshot of the project.
    pub(crate) fn current(&self) -> Result<Arc<ProjectSnapshot>, RpcError> {
        let current = self.0.current.read().clone();
        current.ok_or_else(|| RpcError::internal("the project has not been read"))
    }

    /// The stdio front, with mcp-bash's deviations from the protocol.
    pub fn stdio_port(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        limits: Limits,
    ) -> Option<Result<Port, TokenError>> {
        Some(self.current().ok()?.stdio_port(reader, writer, limits))
    }
}

impl Conventions for McpBash {
    fn read(&self, root: &Path, _: Option<&Catalogue>) -> Result<Catalogue, FolderError> {
        let snapshot = ProjectSnapshot::read(root, &self.0.vars, &self.0.tooling)?;
        let catalogue = snapshot.project.catalogue();
        *self.0.current.write() = Some(Arc::new(snapshot));
        Ok(catalogue)
    }

    /// Not needed: every file is checked again before it is run.
    fn untrusted(&self, _: &Catalogue) -> Option<Catalogue> {
        None
    }

    fn port(&self, folder: &Arc<Folder>, caller: CallerVariables) -> Port {
        folder.connect(Connection::new(folder.clone(), self.clone(), caller))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use linkspan_local::testing::Client;

    use super::*;

    fn add_tool(root: &Path, name: &str) {
        let folder = root.join("tools").join(name);
        fs::create_dir_all(&folder).unwrap();
        let script = folder.join("tool.sh");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        fs::set_permissions(script, Permissions::from_mode(0o755)).unwrap();
        let meta = format!(r#"{{"name":"{name}","description":"d"}}"#);
        fs::write(folder.join("tool.meta.json"), meta).unwrap();
    }

    fn open_as(root: &Path, compat: FolderLayout) -> Served {
        let exe = "/nonexistent/linkspan".into();
        let allowed = ("MCPBASH_TOOL_ALLOWLIST".into(), "*".into());
        let env = std::env::vars_os().chain([allowed]).collect();
        let options = Options::new(exe, env, std::env::temp_dir());
        open(root, options, compat).unwrap()
    }

    #[tokio::test]
    async fn the_chosen_layout_is_used() {
        let project = tempfile::tempdir().unwrap();
        add_tool(project.path(), "t");
        let native = tempfile::tempdir().unwrap();
        fs::write(native.path().join("server.yaml"), "name: n\n").unwrap();
        for (root, compat, is_mcp_bash) in [
            (&project, FolderLayout::Auto, true),
            (&project, FolderLayout::McpBash, true),
            (&project, FolderLayout::Native, false),
            (&native, FolderLayout::Auto, false),
        ] {
            let served = open_as(root.path(), compat);
            assert_eq!(served.project.is_some(), is_mcp_bash, "{compat:?}");
            let program = served.folder.catalogue().program;
            assert_eq!(program, is_mcp_bash.then_some("mcp-bash"), "{compat:?}");
            served.folder.close().await;
        }
    }

    #[tokio::test]
    async fn a_tool_is_told_who_the_client_is() {
        let root = tempfile::tempdir().unwrap();
        add_tool(root.path(), "who");
        let script = root.path().join("tools/who/tool.sh");
        let text = "#!/bin/sh\necho \"subject=$LINKSPAN_SUBJECT scope=${LINKSPAN_SCOPE-none}\"\n";
        fs::write(&script, text).unwrap();
        let served = open_as(root.path(), FolderLayout::Auto);
        let caller = vec![
            ("LINKSPAN_SUBJECT", Some("ada".to_owned())),
            ("LINKSPAN_SCOPE", None),
        ];
        let mut client = Client::over(served.folder.port_for(caller));
        client.greet("{}").await;
        let call = r#"{"name":"who","arguments":{}}"#;
        let answer = client.ask(1, "tools/call", call).await;
        assert!(answer.contains("subject=ada scope=none"), "{answer}");
        client.close().await;
        served.folder.close().await;
    }

    #[tokio::test]
    async fn a_connection_uses_the_last_snapshot() {
        let root = tempfile::tempdir().unwrap();
        add_tool(root.path(), "first");
        let served = open_as(root.path(), FolderLayout::Auto);
        let mut client = Client::over(served.folder.port());
        client.greet("{}").await;
        let before = client.ask(1, "tools/list", "{}").await;
        assert!(
            before.contains("first") && !before.contains("second"),
            "{before}"
        );
        add_tool(root.path(), "second");
        served.folder.refresh();
        let told = client.next().await;
        assert!(told.contains("notifications/tools/list_changed"), "{told}");
        let after = client.ask(2, "tools/list", "{}").await;
        assert!(
            after.contains("first") && after.contains("second"),
            "{after}"
        );
        // The last snapshot stays in use when the project becomes unreadable.
        fs::set_permissions(root.path(), Permissions::from_mode(0o777)).unwrap();
        served.folder.refresh();
        let untrusted = client.ask(3, "tools/list", "{}").await;
        assert!(untrusted.contains("second"), "{untrusted}");
        client.close().await;
        served.folder.close().await;
    }
}
