//! `mcp-bash` without a verb: it serves the project, or explains itself if there is none.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};

use linkspan_scripts::compat::Vars;

use super::drafts::{self, GETTING_STARTED};
use super::{flag, folder_args, named_root, nearest, quoted, unexpected, vars};
use crate::exit::Failure;
use crate::runtime::block_on;
use crate::serve::args::ServeArgs;
use crate::serve::open;
use crate::serve::scaffold::Draft;
use crate::show::on_one_line;

const TOOL_META: &str = r#"{
  "name": "getting_started",
  "description": "Explains how to give this server a project with tools of its own",
  "inputSchema": { "type": "object", "properties": {} }
}
"#;
const SERVER_META: &str =
    "{ \"name\": \"mcp-bash-getting-started\", \"title\": \"mcp-bash: getting started\" }\n";

pub(super) fn serve(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let _ = flag(&mut words, "--stdio");
    let named = named_root(&mut words)?;
    unexpected("", &words)?;
    let Some(root) = named.or_else(nearest) else {
        return explain();
    };
    announce(&vars(), &root);
    let options = open::options(&folder_args())?;
    let args = ServeArgs::of(root, folder_args());
    Ok(block_on(open::run_with(args, options))?.code())
}

/// Serves a project of one tool, which says what to do.
fn explain() -> Result<u8, Failure> {
    let here = Temporary::new()?;
    drafts::write(
        &here.0,
        &[
            Draft::text("server.d/server.meta.json", SERVER_META.to_owned()),
            Draft::program("tools/getting_started/tool.sh", GETTING_STARTED.to_owned()),
            Draft::text("tools/getting_started/tool.meta.json", TOOL_META.to_owned()),
        ],
    )?;
    announce(&vars(), Path::new("(none)"));
    let mut options = open::options(&folder_args())?;
    // Whatever the environment says about a project is not about this one.
    let elsewhere = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("MCPBASH_") && (name.ends_with("_DIR") || name.ends_with("_ROOT"))
            || name == "MCPBASH_TOOL_ALLOWLIST"
            || name == "MCPBASH_STATIC_REGISTRY"
    };
    options.env.retain(|(name, _)| !elsewhere(name));
    let allowed = ("MCPBASH_TOOL_ALLOWLIST".into(), "getting_started".into());
    options.env.push(allowed);
    let args = ServeArgs::of(here.0.clone(), folder_args());
    Ok(block_on(open::run_with(args, options))?.code())
}

/// The line with which mcp-bash begins its log.
fn announce(vars: &Vars, root: &Path) {
    let level = vars.get("MCPBASH_LOG_LEVEL").unwrap_or("info");
    let quiet = ["error", "critical", "alert", "emergency"].contains(&level);
    if quiet || vars.is_on("MCPBASH_QUIET") {
        return;
    }
    let word = |text: &str| quoted(&on_one_line(text));
    let path = |path: &Path| word(&path.to_string_lossy());
    let command = std::env::args_os().next().unwrap_or_default();
    let cwd = std::env::current_dir().unwrap_or_default();
    let tool = vars.get("MCPBASH_JSON_TOOL_BIN").unwrap_or("built-in");
    anstream::eprintln!(
        "mcp-bash startup: transport=stdio command={} cwd={} project_root={} json_tool=jq:{}",
        path(Path::new(&command)),
        path(&cwd),
        path(root),
        word(tool)
    );
}

/// A folder of ours that is removed with this value.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self, Failure> {
        let name = format!("linkspan-start-{}-{:08x}", std::process::id(), random());
        let path = std::env::temp_dir().join(name);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&path)
            .map_err(|e| drafts::cannot_write(&path, &e))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn random() -> u32 {
    getrandom::u32().unwrap_or_default()
}
