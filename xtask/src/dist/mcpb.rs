//! The bundle for Claude Desktop and other hosts of MCPB: a form asks for a URL and a token, and the program of the
//! host's system connects to it.

use serde_json::{Map, Value, json};

use super::archive::{self, Entry};
use super::fat;
use super::release::Release;
use super::table::System;

/// The variable that the host puts the token into. It is empty without one: `?` allows that.
const TOKEN: &str = "LINKSPAN_TOKEN";

pub fn write(release: &Release) -> Result<(), String> {
    let programs = programs(release)?;
    if programs.is_empty() {
        println!("no program for x86_64 Linux, Windows or macOS was built: no bundle");
        return Ok(());
    }
    let platforms: Vec<(&str, &str)> = programs
        .iter()
        .map(|(platform, entry)| (*platform, entry.path.as_str()))
        .collect();
    let manifest = manifest(release, &platforms);
    let mut entries = vec![Entry::read("manifest.json", format!("{manifest:#}\n"))];
    entries.extend(programs.iter().map(|(_, entry)| entry.clone()));
    entries.extend(release.terms.iter().cloned());
    let file = format!("linkspan-{}.mcpb", release.version);
    release.write(&file, &archive::zip(&entries, release.time)?)
}

/// One program for each platform of MCPB, which does not distinguish processors: x86_64 on Linux and Windows, both on
/// macOS.
fn programs(release: &Release) -> Result<Vec<(&'static str, Entry)>, String> {
    let mut found = Vec::new();
    let of = |system: System| {
        let all = release.programs.iter();
        all.filter(move |one| one.target.system == system)
    };
    for (platform, system) in [("linux", System::Linux), ("win32", System::Windows)] {
        let mut programs = of(system).filter(|one| one.target.triple.starts_with("x86_64"));
        if let Some(program) = programs.next() {
            let path = format!("server/{platform}/{}", program.target.program());
            found.push((platform, Entry::run(path, program.bytes.clone())));
        }
    }
    let mac: Vec<&[u8]> = of(System::MacOs).map(|one| one.bytes.as_slice()).collect();
    if !mac.is_empty() {
        found.push((
            "darwin",
            Entry::run("server/darwin/linkspan", fat::join(&mac)?),
        ));
    }
    Ok(found)
}

fn manifest(release: &Release, platforms: &[(&str, &str)]) -> Value {
    let command = |path: &str| format!("${{__dirname}}/{path}");
    let overrides = platforms.iter().map(|(platform, path)| {
        let value = json!({ "command": command(path) });
        ((*platform).to_owned(), value)
    });
    let names: Vec<&str> = platforms.iter().map(|(platform, _)| *platform).collect();
    let first = platforms.first().map_or("", |(_, path)| *path);
    json!({
        "manifest_version": "0.3",
        "name": "linkspan",
        "display_name": "Remote MCP server (linkspan)",
        "version": release.version,
        "description": "Connects any remote MCP server, of any transport and protocol revision",
        "long_description": "Connects to a server by its URL, over Streamable HTTP or HTTP+SSE. A server that asks for \
                             a sign-in opens the browser; a token is needed only for a server that wants one.",
        "author": { "name": "The linkspan authors" },
        "repository": { "type": "git", "url": release.repository },
        "license": release.license,
        "keywords": ["mcp", "remote", "proxy", "bridge"],
        "server": {
            "type": "binary",
            "entry_point": first,
            "mcp_config": {
                "command": command(first),
                "args": ["connect", "--bearer-env", format!("{TOKEN}?"), "${user_config.url}"],
                "env": { TOKEN: "${user_config.token}" },
                "platform_overrides": overrides.collect::<Map<_, _>>(),
            },
        },
        "compatibility": { "platforms": names },
        "user_config": {
            "url": {
                "type": "string",
                "title": "URL of the server",
                "description": "For example https://mcp.example.com/mcp",
                "required": true,
            },
            "token": {
                "type": "string",
                "title": "Access token",
                "description": "Sent as bearer token. Empty: no token, or a sign-in in the browser",
                "sensitive": true,
                "required": false,
                "default": "",
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release::tests::release;

    #[test]
    fn every_platform_has_its_own_command_in_the_bundle() {
        let release = release();
        let programs = programs(&release).unwrap();
        let names: Vec<&str> = programs.iter().map(|(platform, _)| *platform).collect();
        assert_eq!(names, ["linux", "win32", "darwin"]);
        let paths: Vec<(&str, &str)> = programs
            .iter()
            .map(|(platform, entry)| (*platform, entry.path.as_str()))
            .collect();
        let config = &manifest(&release, &paths)["server"]["mcp_config"];
        let windows = &config["platform_overrides"]["win32"]["command"];
        assert_eq!(windows, "${__dirname}/server/win32/linkspan.exe");
        assert_eq!(config["env"][TOKEN], "${user_config.token}");
    }
}
