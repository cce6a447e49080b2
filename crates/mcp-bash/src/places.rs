//! The folders of a project.

use std::path::{Path, PathBuf};

use super::vars::Vars;

/// The folders of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project.
    pub root: PathBuf,
    /// `tools/`
    pub tools: PathBuf,
    /// `resources/`
    pub resources: PathBuf,
    /// `prompts/`
    pub prompts: PathBuf,
    /// `server.d/`
    pub server: PathBuf,
    /// `providers/`
    pub providers: PathBuf,
    /// `completions/`
    pub completions: PathBuf,
    /// `ui/`
    pub ui: PathBuf,
    /// `.registry/`
    pub registry: PathBuf,
    /// Whether files that other users can write are read nevertheless.
    pub accept_writable: bool,
}

impl Places {
    /// The folders of the project at `root`; variables can move each of them.
    pub fn of(root: &Path, vars: &Vars) -> Self {
        let place = |name: &str, usual: &str| {
            vars.get(name)
                .map(|elsewhere| root.join(elsewhere))
                .unwrap_or_else(|| root.join(usual))
        };
        Self {
            root: root.to_owned(),
            tools: place("MCPBASH_TOOLS_DIR", "tools"),
            resources: place("MCPBASH_RESOURCES_DIR", "resources"),
            prompts: place("MCPBASH_PROMPTS_DIR", "prompts"),
            server: place("MCPBASH_SERVER_DIR", "server.d"),
            providers: place("MCPBASH_PROVIDERS_DIR", "providers"),
            completions: place("MCPBASH_COMPLETIONS_DIR", "completions"),
            ui: place("MCPBASH_UI_DIR", "ui"),
            registry: place("MCPBASH_REGISTRY_DIR", ".registry"),
            accept_writable: false,
        }
    }

    /// A path relative to the project.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The variables that tell programs the folders.
    pub fn vars(&self) -> [(&'static str, &Path); 9] {
        [
            ("MCPBASH_PROJECT_ROOT", &self.root),
            ("MCPBASH_TOOLS_DIR", &self.tools),
            ("MCPBASH_RESOURCES_DIR", &self.resources),
            ("MCPBASH_PROMPTS_DIR", &self.prompts),
            ("MCPBASH_SERVER_DIR", &self.server),
            ("MCPBASH_PROVIDERS_DIR", &self.providers),
            ("MCPBASH_COMPLETIONS_DIR", &self.completions),
            ("MCPBASH_UI_DIR", &self.ui),
            ("MCPBASH_REGISTRY_DIR", &self.registry),
        ]
    }
}
