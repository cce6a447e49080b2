//! Sign-ins that are stored: signing out, and taking over those of another program.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::Timestamp;
use linkspan_auth::client::{Action, ClientOptions, Demand, Found, Input, SignIn, revocation};
use linkspan_auth::store::import::{Lookup, find};
use linkspan_auth::store::{CredentialKey, Record, Status, Store, StoreOptions};
use linkspan_ports::HttpOptions;
use linkspan_wire::escape_line;
use tokio::time::timeout;
use url::Url;

use crate::http::HttpTransport;
use crate::perform::{PerformError, blocking};
use crate::settings::Settings;
use crate::transport::Transport;

/// Writes what is stored of a sign-in, for a person.
pub fn write_record(record: &Record, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", escape_line(&record.shown_server()))?;
    writeln!(out, "  issuer  {}", escape_line(&record.issuer))?;
    writeln!(out, "  client  {}", escape_line(&record.client.client_id))?;
    writeln!(out, "  state   {}", record.state(now))?;
    match record.tokens.as_ref().and_then(|it| it.scope.as_deref()) {
        Some(scope) => writeln!(out, "  scope   {}", escape_line(scope)),
        None => Ok(()),
    }
}

/// Which sign-ins are meant.
pub enum Which {
    /// All of one server.
    Server(Url),
    /// All.
    All,
}

/// Revokes tokens where the authorization server can do so, and removes them. Returns the servers, as they may be
/// shown. `options` says how a server is reached; without them its tokens are only removed.
pub async fn sign_out(
    store: StoreOptions,
    which: &Which,
    options: &dyn Fn(&str) -> Option<HttpOptions>,
) -> Result<Vec<String>, PerformError> {
    let store = Arc::new(Store::open(store)?);
    let own = Arc::clone(&store);
    let server = match which {
        Which::Server(url) => Some(url.clone()),
        Which::All => None,
    };
    // Servers with one resource share a credential, and the record names the one that was used last.
    let (records, shared) = blocking(move || {
        let shared = server.map(|server| own.keys_of(&server)).transpose()?;
        Ok((own.list()?, shared.unwrap_or_default()))
    })
    .await?;
    let mut ended = Vec::new();
    for (key, record) in records {
        let is_meant = match which {
            Which::All => true,
            Which::Server(url) => {
                shared.contains(&key) || Url::parse(&record.server).is_ok_and(|own| own == *url)
            }
        };
        if !is_meant || record.status == Status::SignedOut {
            continue;
        }
        let own = Arc::clone(&store);
        let (issuer, client) = (record.issuer.clone(), record.client.client_id.clone());
        blocking(move || {
            own.sign_out(&key, Timestamp::now())?;
            // A server may have forgotten our registration; the next sign-in makes another one.
            own.forget_registration(&issuer, &client)
        })
        .await?;
        if let Some(options) = options(&record.server) {
            revoke(&record, HttpTransport::new(options)).await;
        }
        ended.push(record.shown_server());
    }
    Ok(ended)
}

/// Asks the authorization server to revoke the tokens (RFC 7009). They are gone here in any case.
async fn revoke(record: &Record, transport: HttpTransport) {
    if let Some(request) = revocation(record, Timestamp::now()) {
        match transport.send(request).await {
            Ok(response) if response.is_success() => {}
            Ok(response) => tracing::warn!("the tokens were not revoked: HTTP {}", response.status),
            Err(error) => tracing::warn!("the tokens were not revoked: {error}"),
        }
    }
}

/// How mcp-remote names its files for a server. `url` and `headers` are those of its command line.
pub fn mcp_remote_lookup(client: &ClientOptions, url: &str, headers: &[String]) -> Lookup {
    let headers = headers.iter().filter_map(|header| header.split_once(':'));
    // As mcp-remote reads it: empty, or without `resource` in its requests, it says nothing.
    let resource = client.resource.as_deref().map(str::trim);
    let resource = resource.filter(|it| !it.is_empty() && client.send_resource);
    Lookup {
        url: url.to_owned(),
        resource: resource.map(str::to_owned),
        authorize_params: client.authorize_params.clone(),
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect(),
        client_metadata_url: client.metadata_url.as_ref().map(Url::to_string),
        token_endpoint: client.token_endpoint.as_ref().map(Url::to_string),
    }
}

/// How long taking over a sign-in may delay the first connection.
const ADOPT: Duration = Duration::from_secs(10);

/// Takes over a sign-in of mcp-remote if the store has none for this server, not even one that has ended. If that is
/// not possible, the server's first refusal leads to a sign-in.
pub async fn adopt_mcp_remote(settings: &Settings, folder: &Path, lookup: &Lookup) {
    match timeout(ADOPT, try_to_adopt(settings, folder, lookup)).await {
        Ok(Ok(false)) => {}
        Ok(Ok(true)) => tracing::info!("took over the sign-in of mcp-remote"),
        Ok(Err(error)) => tracing::warn!("the sign-in of mcp-remote was not taken over: {error}"),
        Err(_) => tracing::warn!("the sign-in of mcp-remote was not taken over: no answer"),
    }
}

async fn try_to_adopt(
    settings: &Settings,
    folder: &Path,
    lookup: &Lookup,
) -> Result<bool, PerformError> {
    let has_tokens = find(folder, lookup)?.is_some_and(|found| found.tokens.is_some());
    if !has_tokens {
        return Ok(false);
    }
    let (server, profile) = (settings.server().clone(), settings.profile());
    let options = settings.store.clone();
    let known = blocking(move || Store::open(options)?.find(&server, &profile));
    if known.await?.is_some() {
        return Ok(false);
    }
    let transport = HttpTransport::new(settings.http.clone());
    import_mcp_remote(settings, &transport, folder, lookup).await?;
    Ok(true)
}

/// Takes over a sign-in of mcp-remote: its files say which tokens, and discovery says where they belong.
pub async fn import_mcp_remote(
    settings: &Settings,
    transport: &dyn Transport,
    folder: &Path,
    lookup: &Lookup,
) -> Result<Record, PerformError> {
    let server = settings.server().clone();
    let imported = find(folder, lookup)?;
    let imported = imported.ok_or_else(|| PerformError::NothingToImport(folder.to_owned()))?;
    let found = discover(settings, transport).await?;
    let mut record = imported.into_record(&server, found, Timestamp::now())?;
    if lookup.resource.is_some() {
        // What the tokens were asked for, and what a renewal has to repeat.
        record.resource.clone_from(&lookup.resource);
    }
    let profile = settings.profile();
    let key = CredentialKey::of(
        &record.issuer,
        record.resource.as_deref(),
        &record.client.client_id,
        &profile,
        &settings.client.authorize_params,
    );
    let store = Store::open(settings.store.clone())?;
    let (lock, patience) = (settings.lock(), settings.timeout);
    Ok(blocking(move || {
        let _lock = store.lock_within(lock, patience)?;
        let generation = store.keep(&server, &profile, &key, 0, record.clone())?;
        Ok(Record {
            generation,
            ..record
        })
    })
    .await?)
}

/// Where the tokens of a server come from.
async fn discover(settings: &Settings, transport: &dyn Transport) -> Result<Found, PerformError> {
    let sign_in = SignIn::new(
        settings.client.clone(),
        settings.server(),
        Demand::default(),
        None,
    );
    let mut sign_in = sign_in.only_discovering();
    let mut action = sign_in.start()?;
    loop {
        let input = match action {
            Action::Send(request) => match transport.send(request).await {
                Ok(response) => Input::Response(response),
                Err(error) => Input::Unreachable(error.to_string()),
            },
            Action::Found(found) => return Ok(*found),
            _ => unreachable!("discovery only sends requests"),
        };
        action = sign_in.on(input, Timestamp::now())?;
    }
}
