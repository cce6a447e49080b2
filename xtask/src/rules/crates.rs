//! Crates depend on crates below them only.

use std::fs;
use std::path::Path;

/// All crates, from the bottom up: each may depend on those before it.
const ORDER: &[&str] = &[
    "wire",
    "tokens",
    "spawn",
    "jq",
    "auth",
    "schema",
    "mcp",
    "gateway",
    "openapi",
    "bcp",
    "session",
    "shrink",
    "ports",
    "fetch",
    "auth-io",
    "local",
    "acp",
    "bridge",
    "gateway-io",
    "openapi-io",
    "client",
    "elicit",
    "client-config",
    "console",
    "dropin",
    "scripts",
    "mcp-bash",
    "bcp-tools",
    "agent",
    "conduct",
    "shrink-layer",
    "tool-lists",
    "cli",
    "testkit",
    "xtask",
];

pub fn check(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join("crates")) else {
        return vec!["there is no folder `crates`".to_owned()];
    };
    let mut violations = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap_or_default();
        violations.extend(violations_of(&name, &manifest));
    }
    violations.sort();
    violations
}

fn violations_of(name: &str, manifest: &str) -> Vec<String> {
    let rank = |name: &str| ORDER.iter().position(|one| *one == name);
    let Some(own) = rank(name) else {
        return vec![format!(
            "the crate {name} has no place in the order of crates"
        )];
    };
    let wrong = |needed: &&str| rank(needed).is_none_or(|rank| rank >= own);
    let needed = dependencies(manifest);
    needed
        .iter()
        .copied()
        .filter(wrong)
        .map(|needed| format!("{name} depends on {needed}, which is not below it"))
        .collect()
}

/// The crates of the workspace that a crate needs in production.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut in_dependencies = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            in_dependencies = section.ends_with("dependencies") && !section.contains("dev-");
        } else if in_dependencies && let Some(rest) = line.strip_prefix("linkspan-") {
            found.extend(rest.split(['.', ' ', '=']).next());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upward_dependency_is_found() {
        let manifest = "[dependencies]\nlinkspan-wire.workspace = true\nlinkspan-bridge = { workspace = true }\n[dev-dependencies]\nlinkspan-testkit.workspace = true\n";
        assert_eq!(violations_of("agent", manifest), [] as [String; 0]);
        assert_eq!(
            violations_of("mcp", manifest),
            ["mcp depends on bridge, which is not below it"]
        );
        assert_eq!(violations_of("unknown", manifest).len(), 1);
    }

    #[test]
    fn dependencies_of_one_system_count() {
        let manifest = "[target.'cfg(unix)'.dependencies]\nlinkspan-ports.workspace = true\n";
        assert_eq!(violations_of("wire", manifest).len(), 1);
    }
}
