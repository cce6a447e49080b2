//! The locations of the clients' configurations.

use std::path::{Path, PathBuf};

use super::Client;
use crate::system::{Location, System};

/// Where a configuration applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In all projects of the user.
    User,
    /// In the project of the current folder.
    Project,
}

impl Client {
    /// Where its servers are added by default.
    pub fn usual_scope(self) -> Scope {
        match self {
            Self::ClaudeCode | Self::VsCode => Scope::Project,
            _ => Scope::User,
        }
    }

    /// The location of its configuration; `None` if it has none for this scope.
    pub fn location(self, scope: Scope, system: &System) -> Option<Location> {
        let candidates = match scope {
            Scope::User => self.user_files(system),
            Scope::Project => self.project_files()?,
        };
        let existing = candidates.iter().find(|file| file.is_file());
        let file = existing.or(candidates.first()).cloned();
        Some(file.map_or(Location::Unknown(self.file_name()), Location::File))
    }

    /// Whether the client has been used on this system: its file is there, or the folder that it makes.
    pub fn is_found(self, scope: Scope, system: &System) -> bool {
        let Some(Location::File(file)) = self.location(scope, system) else {
            return false;
        };
        if file.is_file() {
            return true;
        }
        let folder = match (self, scope) {
            // The file is in the home folder, which every user has.
            (Self::ClaudeCode, Scope::User) => system.in_home(".claude"),
            // The extension; the editor has a folder without it.
            (Self::Cline, _) => file.parent().and_then(Path::parent).map(Path::to_owned),
            (Self::Kiro, Scope::User) => system.in_home(".kiro"),
            (_, Scope::User) => file.parent().map(Path::to_owned),
            (_, Scope::Project) => None,
        };
        folder.is_some_and(|folder| folder.is_dir())
    }

    /// The possible files of the user, the usual one first.
    fn user_files(self, system: &System) -> Vec<PathBuf> {
        let home = |path| system.in_home(path);
        let config = |path| system.in_config(path);
        // Folders of programs that use the conventions of Linux on macOS, too.
        let unix_config = |path| system.in_unix_config(path);
        let found = match self {
            Self::ClaudeCode => match &system.claude {
                Some(folder) => vec![Some(folder.join(".claude.json"))],
                None => vec![home(".claude.json")],
            },
            Self::ClaudeDesktop => {
                let store = "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude";
                let store = system.local.as_ref().map(|local| local.join(store));
                let file = "claude_desktop_config.json";
                vec![
                    config("Claude").map(|folder| folder.join(file)),
                    store.map(|folder| folder.join(file)),
                    config("claude").map(|folder| folder.join(file)),
                ]
            }
            Self::Cline => {
                let file = "saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
                let code = config("Code/User/globalStorage").map(|folder| folder.join(file));
                vec![code, home(".cline/data/settings/cline_mcp_settings.json")]
            }
            Self::Codex => match &system.codex {
                Some(folder) => vec![Some(folder.join("config.toml"))],
                None => vec![home(".codex/config.toml")],
            },
            Self::Continue => vec![home(".continue/config.yaml")],
            Self::Crush if system.is_windows => {
                let local = system.local.as_ref();
                vec![local.map(|local| local.join("crush/crush.json"))]
            }
            Self::Crush => vec![unix_config("crush/crush.json")],
            Self::Cursor => vec![home(".cursor/mcp.json")],
            Self::Gemini => vec![home(".gemini/settings.json")],
            Self::Goose if system.is_windows => vec![config("Block/goose/config/config.yaml")],
            Self::Goose => vec![unix_config("goose/config.yaml")],
            Self::Kiro => vec![home(".kiro/settings/mcp.json")],
            Self::LmStudio => {
                vec![
                    home(".lmstudio/mcp.json"),
                    home(".cache/lm-studio/mcp.json"),
                ]
            }
            Self::OpenCode => ["opencode.json", "opencode.jsonc"]
                .map(|file| Some(unix_config("opencode")?.join(file)))
                .into(),
            Self::VsCode => vec![config("Code/User/mcp.json")],
            Self::Windsurf => vec![home(".codeium/windsurf/mcp_config.json")],
            Self::Zed if system.is_windows => vec![config("Zed/settings.json")],
            // Also on macOS, where XDG_CONFIG_HOME is not used.
            Self::Zed if system.is_mac => vec![home(".config/zed/settings.json")],
            Self::Zed => vec![config("zed/settings.json")],
        };
        found.into_iter().flatten().collect()
    }

    /// The possible files of a project.
    fn project_files(self) -> Option<Vec<PathBuf>> {
        let files: &[&str] = match self {
            Self::ClaudeCode => &[".mcp.json"],
            Self::Codex => &[".codex/config.toml"],
            Self::Crush => &["crush.json", ".crush.json"],
            Self::Cursor => &[".cursor/mcp.json"],
            Self::Gemini => &[".gemini/settings.json"],
            Self::Kiro => &[".kiro/settings/mcp.json"],
            Self::OpenCode => &["opencode.json", "opencode.jsonc"],
            Self::VsCode => &[".vscode/mcp.json"],
            Self::Zed => &[".zed/settings.json"],
            Self::ClaudeDesktop
            | Self::Cline
            | Self::Continue
            | Self::Goose
            | Self::LmStudio
            | Self::Windsurf => return None,
        };
        Some(files.iter().map(PathBuf::from).collect())
    }

    /// Describes the file of the user.
    fn file_name(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".claude.json in your home",
            Self::ClaudeDesktop => "claude_desktop_config.json",
            Self::Cline => "cline_mcp_settings.json",
            Self::Codex => ".codex/config.toml in your home",
            Self::Continue => ".continue/config.yaml in your home",
            Self::Crush => "its crush.json",
            Self::Cursor => ".cursor/mcp.json in your home",
            Self::Gemini => ".gemini/settings.json in your home",
            Self::Goose => "its config.yaml",
            Self::Kiro => ".kiro/settings/mcp.json in your home",
            Self::LmStudio => ".lmstudio/mcp.json in your home",
            Self::OpenCode => "its opencode.json",
            Self::VsCode => "the mcp.json of its user profile",
            Self::Windsurf => ".codeium/windsurf/mcp_config.json in your home",
            Self::Zed => "its settings.json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(is_mac: bool, is_windows: bool) -> System {
        System {
            home: Some("/h".into()),
            config: is_windows.then(|| "/a".into()),
            local: is_windows.then(|| "/l".into()),
            is_mac,
            is_windows,
            ..System::default()
        }
    }

    fn user_file(client: Client, system: &System) -> String {
        match client.location(Scope::User, system) {
            Some(Location::File(path)) => path.to_str().unwrap().replace('\\', "/"),
            other => panic!("{client:?}: {other:?}"),
        }
    }

    #[test]
    fn every_client_has_a_location_on_every_system() {
        #[rustfmt::skip]
        let all = [
            (Client::ClaudeCode, "/h/.claude.json", "/h/.claude.json", "/h/.claude.json"),
            (Client::ClaudeDesktop, "/h/.config/Claude/claude_desktop_config.json",
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "/a/Claude/claude_desktop_config.json"),
            (Client::Cline,
                "/h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                "/h/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                "/a/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            (Client::Codex, "/h/.codex/config.toml", "/h/.codex/config.toml", "/h/.codex/config.toml"),
            (Client::Continue, "/h/.continue/config.yaml", "/h/.continue/config.yaml", "/h/.continue/config.yaml"),
            (Client::Crush, "/h/.config/crush/crush.json", "/h/.config/crush/crush.json", "/l/crush/crush.json"),
            (Client::Cursor, "/h/.cursor/mcp.json", "/h/.cursor/mcp.json", "/h/.cursor/mcp.json"),
            (Client::Gemini, "/h/.gemini/settings.json", "/h/.gemini/settings.json", "/h/.gemini/settings.json"),
            (Client::Goose, "/h/.config/goose/config.yaml", "/h/.config/goose/config.yaml",
                "/a/Block/goose/config/config.yaml"),
            (Client::Kiro, "/h/.kiro/settings/mcp.json", "/h/.kiro/settings/mcp.json", "/h/.kiro/settings/mcp.json"),
            (Client::LmStudio, "/h/.lmstudio/mcp.json", "/h/.lmstudio/mcp.json", "/h/.lmstudio/mcp.json"),
            (Client::OpenCode, "/h/.config/opencode/opencode.json", "/h/.config/opencode/opencode.json",
                "/h/.config/opencode/opencode.json"),
            (Client::VsCode, "/h/.config/Code/User/mcp.json", "/h/Library/Application Support/Code/User/mcp.json",
                "/a/Code/User/mcp.json"),
            (Client::Windsurf, "/h/.codeium/windsurf/mcp_config.json", "/h/.codeium/windsurf/mcp_config.json",
                "/h/.codeium/windsurf/mcp_config.json"),
            (Client::Zed, "/h/.config/zed/settings.json", "/h/.config/zed/settings.json", "/a/Zed/settings.json"),
        ];
        assert_eq!(all.len(), Client::ALL.len());
        for (client, linux, mac, windows) in all {
            assert_eq!(user_file(client, &on(false, false)), linux);
            assert_eq!(user_file(client, &on(true, false)), mac);
            assert_eq!(user_file(client, &on(false, true)), windows);
        }
    }

    #[test]
    fn folders_that_the_user_has_moved_are_followed() {
        let system = System {
            codex: Some("/c".into()),
            claude: Some("/d".into()),
            config: Some("/x".into()),
            ..on(false, false)
        };
        assert_eq!(user_file(Client::Codex, &system), "/c/config.toml");
        assert_eq!(user_file(Client::ClaudeCode, &system), "/d/.claude.json");
        assert_eq!(user_file(Client::Goose, &system), "/x/goose/config.yaml");
    }

    #[test]
    fn an_existing_file_is_preferred() {
        let folder = tempfile::tempdir().unwrap();
        let system = System {
            home: Some(folder.path().to_owned()),
            ..System::default()
        };
        assert!(!Client::OpenCode.is_found(Scope::User, &system));
        let jsonc = folder.path().join(".config/opencode/opencode.jsonc");
        std::fs::create_dir_all(jsonc.parent().unwrap()).unwrap();
        assert!(Client::OpenCode.is_found(Scope::User, &system));
        std::fs::write(&jsonc, "{}").unwrap();
        let found = Client::OpenCode.location(Scope::User, &system);
        assert_eq!(found, Some(Location::File(jsonc)));
        assert!(!Client::ClaudeCode.is_found(Scope::User, &system));
    }

    #[test]
    fn without_a_home_some_locations_are_unknown() {
        let homeless = System::default();
        let path = |client: Client, scope| client.location(scope, &homeless);
        assert!(matches!(
            path(Client::Zed, Scope::User),
            Some(Location::Unknown(_))
        ));
        assert!(matches!(
            path(Client::ClaudeCode, Scope::Project),
            Some(Location::File(_))
        ));
        assert_eq!(path(Client::Goose, Scope::Project), None);
    }
}
