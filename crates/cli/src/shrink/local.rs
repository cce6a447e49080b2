//! The tools that we add to those of the server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_bcp_tools::files::{PartialFiles, Roots};
use linkspan_bcp_tools::reader::tool_result;
use linkspan_bcp_tools::{TOOLS, Tools};
use linkspan_mcp::{Era, tool_text};
use linkspan_wire::{Json, Object};

use super::fetch;
use super::kept::Originals;
use crate::environment::{reader_settings, variable};
use crate::exit::Failure;

/// Where the BCP tools may look, and what they are.
pub(crate) struct Locals {
    /// The reader's tools; none if the user does not want them.
    files: Option<Arc<Tools>>,
    /// Whether originals can be fetched.
    fetch: bool,
}

impl Locals {
    /// The BCP tools use files in `roots`, but none in `store`: that holds originals of all principals.
    pub(crate) fn new(
        files: bool,
        roots: &[PathBuf],
        store: Option<&Path>,
        fetch: bool,
    ) -> Result<Self, Failure> {
        let files = files
            .then(|| reader_tools(roots, store))
            .transpose()?
            .map(Arc::new);
        Ok(Self { files, fetch })
    }

    /// The tools as they stand in a list.
    pub(crate) fn list(&self) -> Vec<Json<'static>> {
        let files = self.files.as_ref().and_then(|_| Json::parse(TOOLS).ok());
        let fetch = self.fetch.then_some(fetch::TOOL);
        let fetch = fetch.and_then(|tool| Json::parse(tool).ok());
        let files = files.into_iter().flat_map(Json::elements);
        files.chain(fetch).collect()
    }

    /// The tool of this name, if we have it.
    pub(crate) fn named(&self, name: &str) -> Option<&'static str> {
        const FILES: [&str; 3] = ["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"];
        match name {
            fetch::NAME if self.fetch => Some(fetch::NAME),
            _ if self.files.is_none() => None,
            _ => FILES.into_iter().find(|ours| *ours == name),
        }
    }

    /// Calls one of them and gives its result. May take a while: for a thread of its own.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: Json<'_>,
        era: Era,
        originals: &Originals,
    ) -> String {
        let result = match (&self.files, name) {
            (_, fetch::NAME) => match fetch::call(arguments, originals) {
                Ok(text) => tool_text(&text, false),
                Err(why) => tool_text(&why, true),
            },
            (Some(files), _) => tool_result(files.perform(name, arguments)),
            (None, _) => tool_text("there is no such tool", true),
        };
        match era {
            Era::Legacy => result,
            Era::Modern => {
                let object = Json::parse(&result).ok();
                Object::of(object)
                    .with("resultType", r#""complete""#)
                    .text()
            }
        }
    }
}

/// The reader's tools within these folders, or the current one, without the folder of `--store`.
fn reader_tools(roots: &[PathBuf], store: Option<&Path>) -> Result<Tools, Failure> {
    let settings = reader_settings(variable)?;
    let mut roots = Roots::new(roots)?;
    if let Some(store) = store {
        let closed = roots.close(store);
        closed.map_err(|e| Failure::usage(format!("--store {}: {e}", store.display())))?;
    }
    let partial = PartialFiles::new(std::env::temp_dir());
    Ok(Tools::new(roots, settings, partial))
}
