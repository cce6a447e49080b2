//! The tools that the layer adds to those of the server.

use std::path::Path;
use std::sync::Arc;

use linkspan_bcp_tools::files::{PartialFiles, Roots};
use linkspan_bcp_tools::reader::tool_result;
use linkspan_bcp_tools::{TOOLS, Tools};
use linkspan_mcp::{Era, tool_text};
use linkspan_wire::{Json, Object};

use crate::error::ShrinkError;
use crate::fetch::{self, JqCommand};
use crate::options::{Options, OwnTools};
use crate::originals::Originals;

/// The enabled ones of the BCP tools and `bcp_fetch`.
pub(crate) struct LocalTools {
    files: Option<Arc<Tools>>,
    fetch: Option<JqCommand>,
}

impl LocalTools {
    pub(crate) fn new(options: &Options) -> Result<Self, ShrinkError> {
        let files = options.bcp_tools.as_ref();
        let files = files.map(|tools| reader_tools(tools, options.store.as_deref()));
        Ok(Self {
            files: files.transpose()?.map(Arc::new),
            fetch: options.fetch.clone(),
        })
    }

    /// Their descriptions for a list of tools.
    pub(crate) fn list(&self) -> Vec<Json<'static>> {
        let files = self.files.as_ref().and_then(|_| Json::parse(TOOLS).ok());
        let fetch = self
            .fetch
            .as_ref()
            .and_then(|_| Json::parse(fetch::TOOL).ok());
        let files = files.into_iter().flat_map(Json::elements);
        files.chain(fetch).collect()
    }

    /// The layer's tool with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&'static str> {
        const FILES: [&str; 3] = ["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"];
        match name {
            fetch::NAME if self.fetch.is_some() => Some(fetch::NAME),
            _ if self.files.is_none() => None,
            _ => FILES.into_iter().find(|ours| *ours == name),
        }
    }

    /// Calls a tool and gives its result. Blocks.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: Json<'_>,
        era: Era,
        originals: &Originals,
    ) -> String {
        let result = match (&self.files, &self.fetch) {
            (_, Some(jq)) if name == fetch::NAME => match fetch::call(arguments, originals, jq) {
                Ok(text) => tool_text(&text, false),
                Err(why) => tool_text(&why.to_string(), true),
            },
            (Some(files), _) => tool_result(files.perform(name, arguments)),
            (None, _) => tool_text("unknown tool", true),
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

/// The reader's tools, without access to `store`, which holds originals of all principals.
fn reader_tools(tools: &OwnTools, store: Option<&Path>) -> Result<Tools, ShrinkError> {
    let mut roots = Roots::new(&tools.roots)?;
    if let Some(store) = store {
        roots
            .close(store)
            .map_err(|source| ShrinkError::StoreInRoots {
                folder: store.to_owned(),
                source,
            })?;
    }
    let partial = PartialFiles::new(tools.temp.clone());
    Ok(Tools::new(roots, tools.settings.clone(), partial))
}
