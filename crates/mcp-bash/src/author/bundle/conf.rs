//! `mcpb.conf`: the settings of a bundle.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// `mcpb.conf`: lines of `NAME=value`. mcp-bash lets a shell read it; nothing is run here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Conf(BTreeMap<String, String>);

impl Conf {
    pub(super) fn read(path: &Path) -> Self {
        Self::parse(&fs::read_to_string(path).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=')?;
            if !name.starts_with("MCPB_") {
                return None;
            }
            let value = value.trim();
            let value = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
                _ => value.split(" #").next().unwrap_or_default().trim(),
            };
            Some((name.to_owned(), value.to_owned()))
        });
        Self(lines.collect())
    }

    /// The value of a variable, unless it is empty.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_and_not_run() {
        let conf = Conf::parse(
            "# MCPB_A=no\nMCPB_NAME=\"my server\" # x\nexport MCPB_VERSION=1.0 # y\nMCPB_E=\nPATH=x\nMCPB_Q='$(id)'\n",
        );
        assert_eq!(conf.get("MCPB_NAME").as_deref(), Some("my server"));
        assert_eq!(conf.get("MCPB_VERSION").as_deref(), Some("1.0"));
        assert_eq!(conf.get("MCPB_Q").as_deref(), Some("$(id)"));
        assert_eq!(conf.get("MCPB_E"), None);
        assert_eq!(conf.0.len(), 4);
    }
}
