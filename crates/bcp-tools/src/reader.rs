//! The reader server: three tools over the files of some folders.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkspan_desk::{Call, Desk, Offered, Params, Stop, Workers, tool_call};
use linkspan_mcp::{Revision, initialize_result, names, tool_text, tool_texts, tools_list};
use linkspan_wire::{Json, Message, RpcError};
use tokio::time::timeout;

use super::confine::{Refusal, open, place};
use super::engine::{Codec, Engine, MOST_TEXT, Said};
use super::files::{Output, Roots, read_named};
use super::request::{Request, Wrong};
use super::settings::Settings;
use linkspan_bcp_tools::tools::TOOLS;

const NAME: &str = "bcp-mcp-server";
/// How long a client may think about which folders it has. It is a program that knows.
const ASKING: Duration = Duration::from_secs(10);
/// What a job that is late gets to notice it, clear up and say what it has done.
const GRACE: Duration = Duration::from_millis(250);

/// What a call has done for good, even if it cannot do the rest in time.
type Done = Arc<Mutex<Option<String>>>;

/// What all connections share.
pub(crate) struct Shelf<E> {
    pub(crate) engine: E,
    pub(crate) roots: Roots,
    pub(crate) settings: Settings,
    /// Whether a client may offer further folders.
    pub(crate) client_roots: bool,
    pub(crate) workers: Workers,
}

/// One connection.
pub(crate) struct Reader<E> {
    shelf: Arc<Shelf<E>>,
    offered: Offered,
}

impl<E: Engine> Reader<E> {
    pub(crate) fn new(shelf: Arc<Shelf<E>>) -> Self {
        Self {
            shelf,
            offered: Offered::default(),
        }
    }

    async fn attempts(
        &self,
        request: Arc<Request>,
        call: &mut Call,
        until: Option<Instant>,
        done: &Done,
    ) -> Result<Said, String> {
        match self.attempt(&request, Vec::new(), call, until, done).await {
            Err(refusal) if refusal.outside => {
                let offered = self.offered(call, until).await;
                if offered.is_empty() {
                    return Err(refusal.why);
                }
                let attempt = self.attempt(&request, offered, call, until, done).await;
                attempt.map_err(|refusal| refusal.why)
            }
            done => done.map_err(|refusal| refusal.why),
        }
    }

    /// Does it with the folders that we have and those that the client offers.
    async fn attempt(
        &self,
        request: &Arc<Request>,
        offered: Vec<PathBuf>,
        call: &mut Call,
        until: Option<Instant>,
        done: &Done,
    ) -> Result<Said, Refusal> {
        let (shelf, request, done) = (self.shelf.clone(), request.clone(), done.clone());
        let job = move |stop: &Stop| {
            let mut roots = shelf.roots.clone();
            for folder in &offered {
                if let Err(e) = roots.add(folder) {
                    tracing::debug!("the client's root {} is left out: {e}", folder.display());
                }
            }
            perform(&shelf.engine, &request, &roots, &done, &|| stop.is_due())
        };
        let done = call.work(&self.shelf.workers, until, job).await;
        done.unwrap_or_else(|_| {
            Err(Refusal::failed(
                "this file has met a bug in linkspan, and nothing was done: please report it"
                    .to_owned(),
            ))
        })
    }

    /// The folders that the client offers.
    async fn offered(&self, call: &mut Call, until: Option<Instant>) -> Vec<PathBuf> {
        if !self.shelf.client_roots {
            return Vec::new();
        }
        // Not all the time that is left: without an answer, what is known has to be said in time.
        let left = until.map(|until| until.saturating_duration_since(Instant::now()) / 2);
        let patience = left.map_or(ASKING, |left| left.min(ASKING));
        call.step_aside();
        self.offered.get(call, patience).await
    }
}

impl<E: Engine> Desk for Reader<E> {
    fn welcome(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        let version = env!("CARGO_PKG_VERSION");
        Ok(initialize_result(revision, NAME, version))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        match method {
            names::TOOLS_LIST if params.get("cursor").is_some() => Err(RpcError::invalid_params(
                "there is no such page: the list of tools is not cut into pages",
            )),
            names::TOOLS_LIST => Ok(listed()),
            names::TOOLS_CALL => {
                let (tool, arguments) = tool_call(params)?;
                self.call(&tool, arguments, call).await
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn heard(&self, note: &Message) {
        self.offered.heard(note);
    }
}

/// The result of `tools/list`.
fn listed() -> String {
    Json::parse(TOOLS).map_or_else(|_| r#"{"tools":[]}"#.to_owned(), tools_list)
}

impl<E: Engine> Reader<E> {
    async fn call(
        &self,
        tool: &str,
        arguments: Json<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let settings = &self.shelf.settings;
        let request = match Request::parse(tool, arguments, settings.mode) {
            Ok(request) => Arc::new(request),
            Err(Wrong::Argument(why)) => return Ok(tool_text(&why, true)),
            Err(Wrong::Tool) => {
                return Err(RpcError::invalid_params(format!("unknown tool: {tool}")));
            }
        };
        let until = settings.limit.and_then(|l| Instant::now().checked_add(l));
        let done = Done::default();
        let answering = self.attempts(request, call, until, &done);
        let answer = match settings.limit {
            None => answering.await,
            Some(limit) => match timeout(limit.saturating_add(GRACE), answering).await {
                Ok(Err(_)) if until.is_some_and(|until| Instant::now() >= until) => {
                    Err(late(limit))
                }
                Ok(answer) => answer,
                Err(_) => Err(late(limit)),
            },
        };
        let answer = answer.or_else(|why| lock(&done).take().map(Said::from).ok_or(why));
        Ok(match answer {
            Ok(Said { text, .. }) if text.len() > MOST_TEXT => {
                tool_text(&too_much(text.len()), true)
            }
            Ok(Said { text, note: None }) => tool_text(&text, false),
            Ok(Said {
                text,
                note: Some(note),
            }) => tool_texts(&[&text, &note], false),
            Err(why) => tool_text(&why, true),
        })
    }
}

/// What a tool says and what is to be noted about it; or why it says nothing.
pub(crate) type Performed = Result<(String, Option<String>), String>;

/// The tools alone, for a server that has others as well. Nobody is asked for more folders.
pub(crate) struct Tools {
    roots: Roots,
    settings: Settings,
}

impl Tools {
    /// Within these folders.
    pub(crate) fn new(roots: Roots, settings: Settings) -> Self {
        Self { roots, settings }
    }

    /// Calls one, on this thread.
    pub(crate) fn perform(&self, tool: &str, arguments: Json<'_>) -> Performed {
        let request = match Request::parse(tool, arguments, self.settings.mode) {
            Ok(request) => request,
            Err(Wrong::Argument(why)) => return Err(why),
            Err(Wrong::Tool) => return Err(format!("unknown tool: {tool}")),
        };
        let limit = self.settings.limit;
        let until = limit.and_then(|l| Instant::now().checked_add(l));
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        let done = Done::default();
        let said = perform(&Codec, &request, &self.roots, &done, &is_late);
        let said = said.or_else(|refusal| lock(&done).take().map(Said::from).ok_or(refusal));
        match (said, limit) {
            (Ok(said), _) if said.text.len() > MOST_TEXT => Err(too_much(said.text.len())),
            (Ok(said), _) => Ok((said.text, said.note)),
            (Err(_), Some(limit)) if is_late() => Err(late(limit)),
            (Err(refusal), _) => Err(refusal.why),
        }
    }
}

/// The work, with files that may be used.
fn perform(
    engine: &impl Engine,
    request: &Request,
    roots: &Roots,
    done: &Done,
    stop: &dyn Fn() -> bool,
) -> Result<Said, Refusal> {
    match request {
        Request::Read { path, mode, budget } => {
            let file = open(roots, Path::new(path))?.file;
            let said = engine.read(file, path, *mode, *budget, stop);
            said.map_err(Refusal::failed)
        }
        Request::Inspect { path } => {
            let file = open(roots, Path::new(path))?.file;
            let text = engine.inspect(file, path, stop);
            text.map(Said::from).map_err(Refusal::failed)
        }
        Request::Encode {
            manifest,
            output,
            compress,
        } => {
            let place = place(roots, Path::new(output))?;
            let manifest = open(roots, Path::new(manifest))?;
            let folder = manifest.path.parent().unwrap_or(Path::new("/"));
            // A file that the manifest names may lie in a folder that the client offers.
            let outside = Cell::new(false);
            let read = |name: &str, limit: u64| {
                let opened = open(roots, &folder.join(name)).map_err(|refusal| {
                    outside.set(outside.get() || refusal.outside);
                    refusal.why
                })?;
                read_named(opened, name, limit)
            };
            let made = Output::within(&place).map_err(|e| Refusal::failed(e.in_words()))?;
            let bytes = engine.encode(manifest.file, &read, made, *compress, stop);
            let bytes = bytes.map_err(|why| Refusal {
                outside: outside.get(),
                why,
            })?;
            // From here on the file is there, whatever becomes of the statistics.
            let name = place.path().display().to_string();
            let wrote = format!("Wrote {bytes} bytes to {name}");
            *lock(done) = Some(wrote.clone());
            let stats = match place.open() {
                Ok(file) => engine.stats(file, &name, stop),
                Err(_) => Err("the file was replaced while it was read".to_owned()),
            };
            let more = match stats {
                Ok(table) => table,
                Err(_) if stop() => "There was no time to count its tokens.".to_owned(),
                Err(why) => format!("It could not be counted: {why}"),
            };
            Ok(format!("{wrote}\n\n{more}").into())
        }
    }
}

fn lock(done: &Done) -> std::sync::MutexGuard<'_, Option<String>> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}

fn late(limit: Duration) -> String {
    format!(
        "took longer than {} s and was stopped: use a smaller file, or raise BCP_CLI_TIMEOUT_MS",
        limit.as_secs_f64()
    )
}

fn too_much(bytes: usize) -> String {
    format!(
        "the rendered text has {bytes} bytes, and {MOST_TEXT} is the most: set `budget` to get a part of it"
    )
}
