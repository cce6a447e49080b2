//! Detects projects of mcp-bash.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The evidence that a folder is a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// `server.d/` has a file of mcp-bash.
    ServerFolder,
    /// `tools/x/tool.meta.json`.
    ToolMeta,
    /// A tool sources mcp-bash's SDK and reads its arguments with it.
    Sdk,
}

impl Why {
    /// A description for the log.
    pub fn text(self) -> &'static str {
        match self {
            Self::ServerFolder => "it has a server.d folder",
            Self::ToolMeta => "it has tools with a tool.meta.json",
            Self::Sdk => "its tools read tool-sdk.sh",
        }
    }
}

/// Files of linkspan's conventions. A folder with any of them is not a project of mcp-bash.
const OURS: [&str; 6] = [
    "server.toml",
    "server.yaml",
    "server.yml",
    "server.json",
    "skills",
    "openapi",
];

const THEIRS: [&str; 6] = [
    "server.meta.json",
    "register.json",
    "register.sh",
    "policy.sh",
    "env.sh",
    "server.instructions.md",
];

/// Limit of examined tools.
const MOST: usize = 64;

/// The evidence that a folder is a project of mcp-bash, if it is one.
///
/// A folder with a linkspan server file never is, and neither is one with tools directly in `tools/`: linkspan
/// serves those, mcp-bash ignores them.
pub fn detect(root: &Path) -> Option<Why> {
    if OURS.iter().any(|name| root.join(name).exists()) {
        return None;
    }
    if THEIRS
        .iter()
        .any(|name| root.join("server.d").join(name).is_file())
    {
        return Some(Why::ServerFolder);
    }
    let tools: Vec<_> = fs::read_dir(root.join("tools"))
        .ok()?
        .flatten()
        .take(MOST)
        .collect();
    let ours = tools.iter().any(|tool| {
        let name = tool.file_name();
        let name = name.to_string_lossy();
        let file = tool.file_type().is_ok_and(|t| t.is_file());
        file && !name.starts_with('.') && !name.starts_with("README")
    });
    if ours {
        return None;
    }
    let folders = || tools.iter().map(|tool| tool.path());
    if folders().any(|tool| tool.join("tool.meta.json").is_file()) {
        return Some(Why::ToolMeta);
    }
    folders()
        .any(|tool| reads_sdk(&tool.join("tool.sh")))
        .then_some(Why::Sdk)
}

/// Whether a script sources the SDK in the way that mcp-bash documents.
fn reads_sdk(script: &Path) -> bool {
    const ENOUGH: u64 = 4096;
    let mut text = Vec::new();
    let Ok(file) = File::open(script) else {
        return false;
    };
    file.take(ENOUGH).read_to_end(&mut text).is_ok_and(|_| {
        let text = String::from_utf8_lossy(&text);
        text.contains("MCP_SDK") && text.contains("tool-sdk.sh")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_server_folder_with_a_known_file_is_a_project() {
        let root = folder(&[("server.d/server.meta.json", "{}")]);
        assert_eq!(detect(root.path()), Some(Why::ServerFolder));
        let root = folder(&[("server.d/notes.txt", "")]);
        assert_eq!(detect(root.path()), None);
    }

    #[test]
    fn tool_folders_with_metadata_are_a_project() {
        let root = folder(&[
            ("tools/x/tool.sh", "#!/bin/sh"),
            ("tools/x/tool.meta.json", "{}"),
        ]);
        assert_eq!(detect(root.path()), Some(Why::ToolMeta));
        let sdk = "#!/bin/bash\nsource \"${MCP_SDK}/tool-sdk.sh\"\n";
        let root = folder(&[("tools/x/tool.sh", sdk)]);
        assert_eq!(detect(root.path()), Some(Why::Sdk));
    }

    #[test]
    fn a_linkspan_folder_is_not_a_project() {
        let theirs = ("tools/x/tool.meta.json", "{}");
        for ours in ["server.toml", "tools/greet.sh", "skills/x/SKILL.md"] {
            assert_eq!(detect(folder(&[theirs, (ours, "")]).path()), None, "{ours}");
        }
        assert_eq!(detect(folder(&[("tools/x/tool.py", "")]).path()), None);
        assert_eq!(detect(folder(&[("prompts/x.md", "")]).path()), None);
        assert_eq!(detect(Path::new("/nowhere")), None);
    }
}
