//! The server of `mcp-bash` without a project: one tool, which explains how to create a project.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};

use linkspan_scripts::author::draft::Draft;
use linkspan_scripts::host::{Env, random_name};
use linkspan_spawn::shell_quoted;
use linkspan_wire::escape_line;

use super::AuthorError;
use super::drafts::{self, GETTING_STARTED};
use crate::Vars;

const TOOL_META: &str = r#"{
  "name": "getting_started",
  "description": "Explains how to give this server a project with tools of its own",
  "inputSchema": { "type": "object", "properties": {} }
}
"#;
const SERVER_META: &str =
    "{ \"name\": \"mcp-bash-getting-started\", \"title\": \"mcp-bash: getting started\" }\n";

/// A project in a temporary folder, which is removed on drop.
#[derive(Debug)]
pub struct GettingStarted(PathBuf);

impl GettingStarted {
    /// Writes the project below `temp`.
    pub fn create(temp: &Path) -> Result<Self, AuthorError> {
        let path = temp.join(format!("linkspan-start-{}", random_name()));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&path)
            .map_err(|e| AuthorError::write(&path, e))?;
        let project = Self(path);
        drafts::write(
            &project.0,
            &[
                Draft::text("server.d/server.meta.json", SERVER_META.to_owned()),
                Draft::program("tools/getting_started/tool.sh", GETTING_STARTED.to_owned()),
                Draft::text("tools/getting_started/tool.meta.json", TOOL_META.to_owned()),
            ],
        )?;
        Ok(project)
    }

    /// The root of the project.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// Removes variables about other projects from an environment, and allows the tool.
    pub fn adapt(&self, env: &mut Env) {
        let elsewhere = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with("MCPBASH_") && (name.ends_with("_DIR") || name.ends_with("_ROOT"))
                || name == "MCPBASH_TOOL_ALLOWLIST"
                || name == "MCPBASH_STATIC_REGISTRY"
        };
        env.retain(|(name, _)| !elsewhere(name));
        env.push(("MCPBASH_TOOL_ALLOWLIST".into(), "getting_started".into()));
    }
}

impl Drop for GettingStarted {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The first line of mcp-bash's log, unless the environment silences it.
pub fn startup_line(vars: &Vars, command: &Path, cwd: &Path, root: &Path) -> Option<String> {
    let level = vars.get("MCPBASH_LOG_LEVEL").unwrap_or("info");
    let quiet = ["error", "critical", "alert", "emergency"].contains(&level);
    if quiet || vars.is_on("MCPBASH_QUIET") {
        return None;
    }
    let word = |text: &str| shell_quoted(&escape_line(text));
    let path = |path: &Path| word(&path.to_string_lossy());
    Some(format!(
        "mcp-bash startup: transport=stdio command={} cwd={} project_root={} json_tool=jq:{}",
        path(command),
        path(cwd),
        path(root),
        word(vars.get("MCPBASH_JSON_TOOL_BIN").unwrap_or("built-in"))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temporary_project_is_removed_on_drop() {
        let temp = tempfile::tempdir().unwrap();
        let project = GettingStarted::create(temp.path()).unwrap();
        assert!(
            project
                .root()
                .join("tools/getting_started/tool.sh")
                .is_file()
        );
        let mut env: Env = [
            ("MCPBASH_TOOLS_DIR", "/x"),
            ("MCPBASH_PROJECT_ROOT", "/x"),
            ("MCPBASH_TOOL_ALLOWLIST", "*"),
            ("HOME", "/h"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        project.adapt(&mut env);
        let names: Vec<_> = env.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["HOME", "MCPBASH_TOOL_ALLOWLIST"]);
        assert_eq!(env[1].1, "getting_started");
        drop(project);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_first_line_of_the_log_can_be_silenced() {
        let line = |vars: Vars| startup_line(&vars, "c".as_ref(), "/a b".as_ref(), "/r".as_ref());
        let loud = line(Vars::default()).unwrap();
        assert!(loud.ends_with("command=c cwd='/a b' project_root=/r json_tool=jq:built-in"));
        assert_eq!(line([("MCPBASH_QUIET", "1")].into_iter().collect()), None);
        assert_eq!(
            line([("MCPBASH_LOG_LEVEL", "error")].into_iter().collect()),
            None
        );
    }
}
