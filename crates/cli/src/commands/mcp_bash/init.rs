//! `mcp-bash init`, `new` and `scaffold server`

use std::path::Path;

use linkspan_mcp_bash::author::skeleton::{Step, create_server, write_skeleton};
use linkspan_mcp_bash::author::{AuthorError, UsageError, Words};
use linkspan_scripts::author::names;

use crate::exit::Failure;
use crate::show::{path as shown, say};

/// `mcp-bash init [--name NAME] [--no-hello]`: in the current folder.
pub(super) fn init(mut words: Words) -> Result<u8, Failure> {
    let name = words.value("--name")?;
    let hello = !words.flag("--no-hello");
    words.end("init")?;
    let here = std::env::current_dir().map_err(|source| AuthorError::Write {
        path: ".".into(),
        source,
    })?;
    let name = name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| names::of_folder(&here));
    say!("Making a project of {}\n", shown(&here));
    write_skeleton(&here, &name, hello, &print)?;
    say!("\nNext:\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor");
    Ok(0)
}

/// `mcp-bash new NAME [--no-hello]`, or `scaffold server NAME`: in a folder of its own.
pub(super) fn new(mut words: Words) -> Result<u8, Failure> {
    let hello = !words.flag("--no-hello");
    let name = words.take_name();
    words.end("new")?;
    let name = name.ok_or_else(|| UsageError::NoName {
        what: "Server".to_owned(),
        example: "mcp-bash new NAME".to_owned(),
    })?;
    let here = std::env::current_dir().unwrap_or_default();
    let root = create_server(&here, &name)?;
    say!("Created ./{name}/\n");
    write_skeleton(&root, &name, hello, &print)?;
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
