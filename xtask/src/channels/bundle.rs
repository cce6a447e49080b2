//! The MCPB bundle: checked and unpacked by the tool of its authors, and started as a host starts it.

use std::process::Command;
use std::time::Duration;

use super::place::said;
use super::setup::Setup;
use crate::child;
use crate::report::Outcome;

const ASK: Duration = Duration::from_secs(120);
const SAID: &str = "through the bundle";

pub fn unpacked(setup: &Setup) -> Outcome {
    try_out(setup).into()
}

fn try_out(setup: &Setup) -> Result<(), String> {
    let folder = setup.folder("mcpb")?;
    let bundle = setup.package("linkspan-", ".mcpb")?;
    let mcpb = |words: &[&str]| {
        let mut mcpb = Command::new(&setup.node);
        mcpb.arg(setup.bin("mcpb")).args(words).current_dir(&folder);
        child::capture(&mut mcpb, ASK)
    };
    let unpacked = folder.join("unpacked");
    let unpacked = unpacked.to_string_lossy();
    mcpb(&["unpack", &bundle.to_string_lossy(), &unpacked])?;
    mcpb(&["validate", &format!("{unpacked}/manifest.json")])?;
    for token in ["", "a-token"] {
        let mut client = Command::new(&setup.node);
        client.arg(setup.peers.join("channel.mjs"));
        client.args([SAID, "--bundle", &unpacked, &setup.url, token]);
        said(SAID, &mut client)?;
    }
    Ok(())
}
