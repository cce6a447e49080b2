//! `mcp-bash bundle`

use std::path::PathBuf;

use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::bundle::{Bundle, Note, Request};

use super::{found_anew, root};
use crate::exit::Failure;
use crate::show::{clean, path as shown, say};

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    let output = words.value("--output")?;
    let request = Request {
        name: words.value("--name")?,
        version: words.value("--version")?,
        platform: words.value("--platform")?,
        without_server: words.flag("--without-server"),
        exe: std::env::current_exe().ok(),
    };
    let only_look = words.flag("--validate");
    let verbose = words.flag("--verbose");
    // Accepted without effect: linkspan has a built-in jq.
    let _ = words.flag("--include-gojq");
    let root = root(&mut words)?;
    words.end("bundle")?;
    let project = found_anew(&root)?;
    let tell = |note: Note<'_>| match note {
        Note::Added(_) if !verbose => {}
        Note::Added(_) => say!("{note}"),
        note => anstream::eprintln!("{note}"),
    };
    let bundle = Bundle::new(&project, request, &tell)?;
    if only_look {
        say!("The bundle would be {}", clean(&bundle.file_name()));
        return Ok(0);
    }
    let folder = output.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let written = bundle.write(&project, &folder, &tell)?;
    say!("{} ({} files)", shown(&written.path), written.files);
    match bundle.platform() {
        Some(platform) => say!("It runs on {platform} and needs nothing else."),
        None => say!("It needs mcp-bash or linkspan in the PATH of the machine that it runs on."),
    }
    Ok(0)
}
