//! A call of a tool, on files that may be used.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use linkspan_wire::Json;
use parking_lot::Mutex;

use crate::access::{open, place};
use crate::engine::{Codec, Engine, StopFn, ToolOutput};
use crate::error::{BcpError, Result};
use crate::files::{Output, PartialFiles, Roots, read_named};
use crate::reader::bounded;
use crate::request::Request;
use crate::settings::Settings;

/// The result of the steps that a call has completed, in case the rest fails or is late.
#[derive(Debug, Clone, Default)]
pub(crate) struct Done(Arc<Mutex<Option<String>>>);

impl Done {
    fn set(&self, text: &str) {
        *self.0.lock() = Some(text.to_owned());
    }

    /// The answer; if it is an error, the result of the completed steps, if any.
    pub(crate) fn or(&self, answer: Result<ToolOutput>) -> Result<ToolOutput> {
        let mut done = self.0.lock();
        answer.or_else(|error| done.take().map(ToolOutput::from).ok_or(error))
    }
}

/// The tools alone, for a server with further tools. The client is not asked for further folders.
#[derive(Debug)]
pub struct Tools {
    roots: Roots,
    settings: Settings,
    partial: PartialFiles,
}

impl Tools {
    /// Tools that use files in these folders.
    pub fn new(roots: Roots, settings: Settings, partial: PartialFiles) -> Self {
        Self {
            roots,
            settings,
            partial,
        }
    }

    /// Calls a tool on this thread.
    pub fn perform(&self, tool: &str, arguments: Json<'_>) -> Result<ToolOutput> {
        let request = Request::parse(tool, arguments, self.settings.mode)?;
        let limit = self.settings.limit;
        let until = limit.and_then(|l| Instant::now().checked_add(l));
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        let done = Done::default();
        let performed = perform(
            &Codec,
            &request,
            &self.roots,
            &self.partial,
            &done,
            &is_late,
        );
        match (done.or(performed), limit) {
            (Ok(output), _) => bounded(output),
            (Err(_), Some(limit)) if is_late() => Err(BcpError::Late(limit)),
            (Err(error), _) => Err(error),
        }
    }
}

/// Performs a call.
pub(crate) fn perform(
    engine: &impl Engine,
    request: &Request,
    roots: &Roots,
    partial: &PartialFiles,
    done: &Done,
    stop: StopFn<'_>,
) -> Result<ToolOutput> {
    match request {
        Request::Read { path, mode, budget } => {
            let file = open(roots, Path::new(path))?.file;
            engine.read(file, path, *mode, *budget, stop)
        }
        Request::Inspect { path } => {
            let file = open(roots, Path::new(path))?.file;
            engine.inspect(file, path, stop).map(ToolOutput::from)
        }
        Request::Encode {
            manifest,
            output,
            compress,
        } => {
            let place = place(roots, Path::new(output))?;
            let manifest = open(roots, Path::new(manifest))?;
            let folder = manifest.path.parent().unwrap_or(Path::new("/"));
            // The client may offer the folder of a file that the manifest names.
            let outside = Cell::new(false);
            let read = |name: &str, limit: u64| {
                let opened = open(roots, &folder.join(name))
                    .inspect_err(|e| outside.set(outside.get() || e.is_outside()))?;
                read_named(opened, name, limit)
            };
            let file = Output::within(&place, partial)?;
            let encoded = engine.encode(manifest.file, &read, file, *compress, stop);
            let bytes = encoded.map_err(|error| {
                if outside.get() {
                    BcpError::NamesOutside(Box::new(error))
                } else {
                    error
                }
            })?;
            // From here on the file exists, even if the statistics fail.
            let name = place.path().display().to_string();
            let wrote = format!("Wrote {bytes} bytes to {name}");
            done.set(&wrote);
            let stats = match place.open() {
                Ok(file) => engine.stats(file, &name, stop),
                Err(_) => Err(BcpError::Replaced),
            };
            let more = match stats {
                Ok(table) => table,
                Err(_) if stop() => "There was no time to count its tokens.".to_owned(),
                Err(error) => format!("It could not be counted: {error}"),
            };
            Ok(format!("{wrote}\n\n{more}").into())
        }
    }
}
