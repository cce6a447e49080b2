//! `resources/read`

use std::sync::Arc;
use std::time::Duration;

use linkspan_local::{Call, Params};
use linkspan_wire::{Json, RpcError};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::Folder;
use super::connection::Connection;
use super::contents::{
    NOT_FOUND, contents, no_file, not_found, printed, provider_error, text_of, too_large,
};
use super::files::read_inside;
use super::found::{Found, resolve};
use super::jobs::{RunRequest, find, meta, perform_without_client};
use super::news::updated;
use super::subscriptions::{LOOK, Looking, print_of};
use crate::folder::{Program, Read};
use crate::run::capture::Printed;
use crate::run::result::{ended_with, reason};
use crate::run::{Ended, Outcome, spill};
use crate::uri;

/// The polling interval for resources of other machines, longer to spare their servers.
const LOOK_AWAY: Duration = Duration::from_secs(60);

/// The reader of a resource.
enum Reader<'a> {
    Client(&'a Connection, &'a mut Call, Option<Json<'a>>),
    /// linkspan itself, to check whether the resource has changed.
    Poll,
}

impl Connection {
    pub(super) async fn read_resource(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let uri = params.text("uri")?;
        let reader = Reader::Client(self, call, meta(params));
        read(&self.folder, &uri, reader).await
    }

    /// Whether changes of a resource are found only by polling. An unknown URI is an error.
    pub(super) fn must_look(&self, uri: &str) -> Result<bool, RpcError> {
        match resolve(&self.folder, uri) {
            None => Err(not_found(uri)),
            // Listed with another spelling of the URI, which is the one in change events.
            Some(found) if matches!(found.read, Read::File(_)) && found.name != uri => Ok(true),
            Some(found) => Ok(match found.read {
                // The watch sees changes, if it is on and the file is in the folder.
                Read::File(path) => {
                    let root = self.folder.runner.root();
                    !self.folder.options.watch || !path.starts_with(root)
                }
                Read::Text(_) => false,
                Read::Run(_) | Read::Provider(_) => true,
            }),
        }
    }

    /// Polls the resource and notifies the client when its contents change.
    pub(super) fn look_after(&self, uri: &str, call: &Call) -> Looking {
        let (folder, notifier) = (Arc::downgrade(&self.folder), call.notifier());
        let turns = self.folder.looks.clone();
        let uri = uri.to_owned();
        let pause = match uri::scheme(&uri) {
            Some("https" | "git+https") => LOOK_AWAY,
            _ => LOOK,
        };
        let task = tokio::spawn(async move {
            let mut last = None;
            loop {
                let Ok(turn) = turns.acquire().await else {
                    return;
                };
                let Some(folder) = folder.upgrade() else {
                    return;
                };
                let read = read(&folder, &uri, Reader::Poll).await;
                drop((folder, turn));
                let now = read.ok().map(|text| print_of(&text));
                if last.replace(now).is_some_and(|last| last != now) {
                    updated(&notifier, &uri).await;
                }
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = notifier.gone() => return,
                }
            }
        });
        Looking(task.abort_handle())
    }
}

async fn read(folder: &Arc<Folder>, uri: &str, reader: Reader<'_>) -> Result<String, RpcError> {
    if spill::is_spill(uri) {
        return read_spill(folder, uri).await;
    }
    let found = resolve(folder, uri).ok_or_else(|| not_found(uri))?;
    match found.read.clone() {
        Read::Text(text) => Ok(contents(uri, found.mime.as_deref(), text.as_bytes())),
        Read::File(path) => {
            let most = found.run.max_output;
            let root = found.inside.clone();
            let file = spawn_blocking(move || read_inside(&root, &path, most)).await;
            let bytes = file.map_err(|_| RpcError::internal("a file could not be read"))?;
            let bytes = bytes.map_err(|why| no_file(uri, why))?;
            Ok(contents(uri, found.mime.as_deref(), &bytes))
        }
        Read::Run(program) => run(folder, uri, &found, &program, reader).await,
        Read::Provider(scheme) => provide(folder, uri, &found, &scheme, reader).await,
    }
}

async fn run(
    folder: &Arc<Folder>,
    uri: &str,
    found: &Found,
    program: &Program,
    reader: Reader<'_>,
) -> Result<String, RpcError> {
    let outcome = perform(folder, uri, found, program, Vec::new(), reader).await?;
    let bytes = bytes(uri, &outcome, |code| {
        let why = reason(&outcome.stderr).unwrap_or_else(|| ended_with(code));
        RpcError::internal(format!("{uri} cannot be read: {why}"))
    })?;
    Ok(printed(uri, found.mime.as_deref(), bytes))
}

async fn provide(
    folder: &Arc<Folder>,
    uri: &str,
    found: &Found,
    scheme: &str,
    reader: Reader<'_>,
) -> Result<String, RpcError> {
    let snapshot = folder.snapshot();
    let provider = find(&snapshot.catalogue.providers, |provider| {
        provider.scheme == scheme
    });
    if let Some(provider) = provider {
        let further = vec![uri.to_owned()];
        let outcome = perform(folder, uri, found, &provider.program, further, reader).await?;
        let said = reason(&outcome.stderr);
        let bytes = bytes(uri, &outcome, |code| {
            provider_error(uri, code, said.as_deref())
        })?;
        return Ok(printed(uri, found.mime.as_deref(), bytes));
    }
    let most = found.run.max_output;
    match (scheme, &folder.options.https) {
        ("https", Some(fetch)) => {
            let fetched = fetch.fetch(uri, most).await;
            let fetched = fetched.map_err(|e| provider_error(uri, e.code(), e.why()))?;
            let mime = found.mime.clone().or(fetched.mime);
            Ok(contents(uri, mime.as_deref(), &fetched.bytes))
        }
        ("git", _) if folder.options.git => {
            let file = super::git::read(folder, uri, most).await;
            let bytes = file.map_err(|e| provider_error(uri, e.code(), e.why()))?;
            Ok(contents(uri, found.mime.as_deref(), &bytes))
        }
        _ => Err(not_found(uri)),
    }
}

async fn perform(
    folder: &Arc<Folder>,
    uri: &str,
    found: &Found,
    program: &Program,
    further: Vec<String>,
    reader: Reader<'_>,
) -> Result<Outcome, RpcError> {
    let spelled = Value::Object(found.values.clone()).to_string();
    let request = |meta| RunRequest {
        name: &found.name,
        program,
        run: &found.run,
        spelled: &spelled,
        further,
        env: vec![("MCP_RESOURCE_URI", uri.to_owned())],
        meta,
    };
    match reader {
        Reader::Client(connection, call, meta) => connection.perform(request(meta), call).await,
        Reader::Poll => perform_without_client(folder, request(None)).await,
    }
}

/// The output of a successful program.
fn bytes<'a>(
    uri: &str,
    outcome: &'a Outcome,
    failed: impl FnOnce(i32) -> RpcError,
) -> Result<&'a [u8], RpcError> {
    match (&outcome.stdout, outcome.ended) {
        (_, Ended::TimedOut(_)) => Err(RpcError::internal(format!(
            "{uri} cannot be read: it takes too long"
        ))),
        (Printed::Whole(bytes), Ended::Code(0)) => Ok(bytes),
        (_, Ended::Code(code)) if code != 0 => Err(failed(code)),
        (Printed::Large(large), _) => Err(too_large(uri, large.size)),
        (Printed::Whole(_), _) => Err(too_large(uri, 0)),
    }
}

async fn read_spill(folder: &Folder, uri: &str) -> Result<String, RpcError> {
    let (spills, address) = (folder.runner.spills.clone(), uri.to_owned());
    let piece = spawn_blocking(move || spills.read(&address)).await;
    let piece = piece.map_err(|_| RpcError::internal("the output could not be read"))?;
    let piece = piece.ok_or_else(|| {
        let why =
            format!("{uri} is gone: large outputs are kept for 15 minutes; call the tool again");
        RpcError::new(NOT_FOUND, why)
    })?;
    let piece = piece.map_err(|e| RpcError::internal(format!("{uri} cannot be read: {e}")))?;
    let whole = contents(uri, None, &text_of(&piece.bytes));
    // The position of the piece, so that the client can request the rest.
    let end = piece.from + piece.bytes.len() as u64;
    let meta = format!(
        r#","_meta":{{"from":{},"to":{end},"size":{}}}}}"#,
        piece.from, piece.size
    );
    Ok(format!("{}{meta}", &whole[..whole.len() - 1]))
}
