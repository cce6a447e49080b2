//! `mcp-bash init`, `new` and `scaffold server`

use std::collections::VecDeque;
use std::path::Path;

use linkspan_mcp_bash::author::skeleton::{Step, create_server, write_skeleton};
use linkspan_scripts::author::names;

use super::{failed, flag, unexpected, value};
use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

/// `mcp-bash init [--name NAME] [--no-hello]`: in the current folder.
pub(super) fn init(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let name = value(&mut words, "--name")?;
    let hello = !flag(&mut words, "--no-hello");
    unexpected("init", &words)?;
    let here = std::env::current_dir().map_err(|e| {
        Failure::new(Exit::Invalid, format!("cannot write .: {e}"))
            .hint("is it a folder of yours, on a disk with room?")
    })?;
    let name = name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| names::of_folder(&here));
    say!("Making a project of {}\n", shown(&here));
    write_skeleton(&here, &name, hello, &print).map_err(failed)?;
    say!("\nNext:\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor");
    Ok(0)
}

/// `mcp-bash new NAME [--no-hello]`, or `scaffold server NAME`: in a folder of its own.
pub(super) fn new(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let hello = !flag(&mut words, "--no-hello");
    let name = words.pop_front();
    unexpected("new", &words)?;
    let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
        Failure::new(Exit::Invalid, "Server name required").hint("mcp-bash new NAME")
    })?;
    let here = std::env::current_dir().unwrap_or_default();
    let root = create_server(&here, &name).map_err(failed)?;
    say!("Created ./{name}/\n");
    write_skeleton(&root, &name, hello, &print).map_err(failed)?;
    say!(
        "\nNext:\n  cd {name}\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor\n  mcp-bash bundle"
    );
    Ok(0)
}

fn print(step: Step, path: &Path) {
    match step {
        Step::Made => say!("  made {}", shown(path)),
        Step::Kept => say!("  kept {}", shown(path)),
    }
}
