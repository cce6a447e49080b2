//! `resources/read`

use std::ffi::OsString;
use std::sync::Arc;

use linkspan_local::{Call, Params};
use linkspan_wire::RpcError;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::super::env::{Scope, of_provider};
use super::super::files::CallFiles;
use super::super::manual::Kind;
use super::super::provider::{self, Provider};
use super::super::snapshot::ProjectSnapshot;
use super::super::{content, limits, meta, template, trust, ui};
use super::{Connection, some_text};
use linkspan_scripts::folder::RunSettings;
use linkspan_scripts::host::{Ended, Env, Job, Outcome, Printed, Stdin, put, read_git, run};
use linkspan_scripts::{Folder, NotFetched};

/// The parameters of a read.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    name: Option<String>,
    uri: Option<String>,
}

/// A resource that can be read.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) uri: String,
    provider: Provider,
    /// The MIME type that its author declared.
    mime: Option<String>,
    /// Provider variables with the values of the matching template.
    env: Vec<(&'static str, OsString)>,
}

impl Wanted {
    pub(super) fn of(params: Params<'_>) -> Self {
        Self {
            name: some_text(params, "name"),
            uri: some_text(params, "uri"),
        }
    }

    /// Looks it up by name, by URI, by matching template and by scheme, in this order.
    pub(super) fn find(&self, snapshot: &ProjectSnapshot) -> Result<Found, RpcError> {
        let project = &snapshot.project;
        let is = |field: &str, wanted: &Option<String>| {
            let wanted = wanted.as_deref()?;
            let mut all = project.resources.iter();
            all.find(|item| meta::text(item, field) == Some(wanted))
        };
        if let Some(item) = is("name", &self.name).or_else(|| is("uri", &self.uri)) {
            let provider = meta::text(item, "provider").unwrap_or_default();
            return Ok(Found {
                uri: meta::text(item, "uri").unwrap_or_default().to_owned(),
                provider: provider::named(provider, &project.places)
                    .ok_or_else(provider::unsupported)?,
                mime: item
                    .contains_key("mimeTypeDeclared")
                    .then(|| meta::text(item, "mimeType").map(str::to_owned))
                    .flatten(),
                env: Vec::new(),
            });
        }
        let Some(uri) = &self.uri else {
            return Err(match self.name {
                Some(_) => provider::not_found(),
                None => RpcError::invalid_params("Resource name or uri required"),
            });
        };
        let provider =
            provider::of_uri(uri, &project.resources, &project.templates, &project.places);
        let mut found = Found {
            uri: uri.clone(),
            provider: provider.ok_or_else(provider::not_found)?,
            mime: None,
            env: Vec::new(),
        };
        if let Some((item, fit)) = template::best(uri, project.patterns()) {
            found.mime = meta::text(item, "mimeType").map(str::to_owned);
            let name = meta::text(item, "name").unwrap_or_default();
            found.env = vec![
                ("MCP_RESOURCE_TEMPLATE_NAME", name.into()),
                ("MCP_RESOURCE_TEMPLATE_VARS", fit.json().into()),
            ];
        }
        Ok(found)
    }
}

impl Connection {
    pub(super) async fn read_resource(
        &self,
        params: Params<'_>,
        _: &mut Call,
    ) -> Result<String, RpcError> {
        let held = self.held()?;
        let found = Wanted::of(params).find(held.readable(Kind::Resources)?)?;
        read(&self.folder, &held, &found).await
    }
}

/// The result of `resources/read`.
pub(super) async fn read(
    folder: &Arc<Folder>,
    snapshot: &Arc<ProjectSnapshot>,
    found: &Found,
) -> Result<String, RpcError> {
    let project = &snapshot.project;
    let most = limits::resource(&project.vars);
    let uri = &found.uri;
    let bytes = match &found.provider {
        Provider::Echo => provider::echo(uri).as_bytes().to_vec(),
        Provider::File => {
            let (snapshot, uri) = (snapshot.clone(), uri.clone());
            let read = spawn_blocking(move || {
                let project = &snapshot.project;
                provider::read_file(&uri, &project.vars, &project.places, most)
            });
            read.await
                .unwrap_or_else(|_| Err(provider::error_of(1, "")))?
        }
        Provider::Ui => {
            let page = ui::page(uri, &project.places).ok_or_else(provider::not_found)?;
            return Ok(json!({"contents": [{
                "uri": uri,
                "mimeType": ui::MIME,
                "text": page.html,
                "_meta": {"ui": page.about},
            }]})
            .to_string());
        }
        Provider::Https => {
            let Some(fetch) = &folder.options().https else {
                return Err(provider::error_of(
                    4,
                    "https resources are not allowed here",
                ));
            };
            let fetched = fetch.fetch(uri, most).await;
            fetched.map_err(|why| not_fetched(&why))?.bytes
        }
        Provider::Git if folder.options().git => {
            let read = read_git(folder, uri, most).await;
            read.map_err(|why| not_fetched(&why))?
        }
        Provider::Git => {
            return Err(provider::error_of(4, "git resources are not allowed here"));
        }
        Provider::Program(words) => provide(folder, snapshot, found, words).await?,
    };
    let contents = content::object(uri, found.mime.as_deref(), &bytes);
    Ok(json!({"contents": [Value::Object(contents)]}).to_string())
}

fn not_fetched(why: &NotFetched) -> RpcError {
    let code = match why {
        NotFetched::Unsupported(_) => 4,
        why => why.code(),
    };
    provider::error_of(code, why.why().unwrap_or_default())
}

async fn provide(
    folder: &Arc<Folder>,
    snapshot: &ProjectSnapshot,
    found: &Found,
    words: &[OsString],
) -> Result<Vec<u8>, RpcError> {
    let settings = limits::of_others(&snapshot.project.vars);
    let mut words = words.to_vec();
    words.push(OsString::from(&found.uri));
    let env = found.env.iter().map(|(name, value)| (*name, value.clone()));
    let ran = perform(folder, snapshot, "resources", words, env, &settings).await?;
    match (ran.stdout, ran.ended) {
        (Printed::Whole(bytes), Ended::Code(0)) => Ok(bytes),
        (_, Ended::Code(code)) if code != 0 => Err(provider::error_of(code, &ran.stderr)),
        (_, Ended::TimedOut(_)) => Err(provider::error_of(1, &ran.stderr)),
        _ => Err(provider::too_large(settings.max_output)),
    }
}

/// Runs a program without a control channel: a provider or a completion.
pub(super) async fn perform<'a>(
    folder: &Arc<Folder>,
    snapshot: &ProjectSnapshot,
    what: &str,
    words: Vec<OsString>,
    told: impl IntoIterator<Item = (&'a str, OsString)>,
    settings: &RunSettings,
) -> Result<Outcome, RpcError> {
    let project = &snapshot.project;
    if let Some(why) = Scope::Provider.refusal(&project.vars) {
        return Err(RpcError::invalid_params(why));
    }
    let runner = folder.runner();
    let permit = runner.permit(what, None).await;
    let _permit = permit.map_err(|_| RpcError::server("Too many requests: try again later"))?;
    let files = CallFiles::create(runner.folder())
        .map_err(|e| RpcError::internal(format!("no place to run: {e}")))?;
    let marker = runner.marker();
    let mut env: Env = of_provider(told, &project.vars, &project.places, &snapshot.tooling);
    put(&mut env, "LINKSPAN_CALL", &marker);
    let job = Job {
        executed: trust::executed(&words),
        words,
        env,
        cwd: project.places.root.clone(),
        stdin: Stdin::Null,
        control: false,
        run: settings,
        timeout: None,
        roots: Vec::new(),
        marker,
        cancel: files.cancel_file(),
        files: Vec::new(),
        kept: Some(Box::new(files)),
        streams: Vec::new(),
        holds: Vec::new(),
    };
    run(runner, job, None)
        .await
        .map_err(|e| RpcError::internal(format!("a program did not start: {e}")))
}
