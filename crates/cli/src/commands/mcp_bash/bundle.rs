//! `mcp-bash bundle`

use std::collections::VecDeque;
use std::path::PathBuf;

use linkspan_mcp_bash::author::bundle::{Bundle, Note, Request};

use super::{failed, flag, found_anew, root, unexpected, value};
use crate::exit::Failure;
use crate::show::{clean, path as shown, say};

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let output = value(&mut words, "--output")?;
    let mut request = Request {
        name: value(&mut words, "--name")?,
        version: value(&mut words, "--version")?,
        platform: value(&mut words, "--platform")?,
        without_server: flag(&mut words, "--without-server"),
        exe: None,
    };
    request.exe = std::env::current_exe().ok();
    let only_look = flag(&mut words, "--validate");
    let verbose = flag(&mut words, "--verbose");
    // linkspan has a jq in it.
    let _ = flag(&mut words, "--include-gojq");
    let root = root(&mut words)?;
    unexpected("bundle", &words)?;
    let project = found_anew(&root)?;
    let tell = |note: Note<'_>| print(note, verbose);
    let bundle = Bundle::new(&project, request, &tell).map_err(failed)?;
    if only_look {
        say!("The bundle would be {}", clean(&bundle.file_name()));
        return Ok(0);
    }
    let folder = output.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let written = bundle.write(&project, &folder, &tell).map_err(failed)?;
    say!("{} ({} files)", shown(&written.path), written.files);
    match bundle.platform() {
        Some(platform) => say!("It runs on {platform} and needs nothing else."),
        None => say!("It needs mcp-bash or linkspan in the PATH of the machine that it runs on."),
    }
    Ok(0)
}

fn print(note: Note<'_>, verbose: bool) {
    match note {
        Note::Added(name) => {
            if verbose {
                say!("  {}", clean(name));
            }
        }
        Note::LeftOut(name) => {
            anstream::eprintln!("`{}` is no file of the project, and left out", clean(name));
        }
        Note::NotIncluded(part) => anstream::eprintln!(
            "mcpb.conf: MCPB_INCLUDE: `{}` is not in the project, and left out",
            clean(part)
        ),
        Note::Outside(path) => {
            anstream::eprintln!("{} leads out of the project, and is left out", shown(path));
        }
        Note::NoAuthor => anstream::eprintln!(
            "the bundle has no author, which its format asks for: set MCPB_AUTHOR_NAME in mcpb.conf"
        ),
    }
}
