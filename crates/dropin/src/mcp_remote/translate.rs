//! Values to the options of linkspan.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{ClientOptions, GivenClient};
use linkspan_auth::store::StoreOptions;
use linkspan_auth::store::import::Lookup;
use linkspan_auth_io::{Account, Performer, Settings, Worker, adopt_mcp_remote, mcp_remote_lookup};
use linkspan_bridge::{Backend, Bridge, HiddenTools, Pings};
use linkspan_ports::HttpOptions;

use super::McpRemote;
use crate::error::LineError;
use crate::surroundings::{Surroundings, trust_more};

/// What a sign-in needs of this machine.
#[derive(Debug)]
pub struct SigningIn {
    /// Where credentials are kept.
    pub store: StoreOptions,
    /// The process that obtains tokens.
    pub worker: Worker,
    /// Whether a browser can be shown.
    pub has_browser: bool,
    /// Where mcp-remote keeps its sign-ins.
    pub mcp_remote: Option<PathBuf>,
}

impl McpRemote {
    /// How the server is reached.
    ///
    /// # Errors
    /// If the URL or a header cannot be used.
    pub fn http(&self, around: Surroundings<'_>) -> Result<HttpOptions, LineError> {
        let mut options = HttpOptions::new(&self.url, self.allow_http)?;
        options.proxy_from(around.variable);
        // A variable that is not set stays in its place, as in the original.
        let value_of = |name: &str| {
            let value = (around.variable)(name);
            Some(value.unwrap_or_else(|| format!("${{{name}}}")))
        };
        for (name, value) in &self.headers {
            options.header_line(&format!("{name}: {value}"), &value_of)?;
        }
        trust_more(&mut options, around)?;
        options.transport = self.transport;
        options.ipv4_only = self.ipv4_only;
        options.cookies = self.cookies;
        options.headers_timeout = self.headers_timeout;
        if let Some(limit) = self.connect_timeout {
            options.connect_timeout = limit;
        }
        Ok(options)
    }

    /// How tokens are obtained.
    fn client(&self) -> ClientOptions {
        let oauth = &self.oauth;
        ClientOptions {
            client: oauth.client.as_ref().map(|client| GivenClient {
                id: client.id.clone(),
                secret: client.secret.clone(),
                key: None,
                auth: client.auth,
            }),
            metadata_url: oauth.metadata_url.clone(),
            scope: oauth.metadata.get("scope").and_then(|scope| {
                let words = scope.as_str()?.split_whitespace();
                Some(words.map(str::to_owned).collect())
            }),
            grant: oauth.grant,
            authorize_params: oauth.authorize_params.clone(),
            send_resource: oauth.send_resource,
            resource: oauth.resource.clone(),
            registration: oauth.metadata.clone(),
            token_endpoint: oauth.token_endpoint.clone(),
            use_id_token: oauth.use_id_token,
            insecure_http: self.allow_http,
            callback_host: oauth.host.clone(),
            callback_path: oauth.path.clone(),
            success_url: oauth.success_url.clone(),
            ..ClientOptions::default()
        }
    }

    /// How mcp-remote names its files for this line.
    fn lookup(&self) -> Lookup {
        let headers = self.headers.iter();
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("{name}:{value}"))
            .collect();
        mcp_remote_lookup(&self.client(), &self.url, &headers)
    }

    /// The server, with an account for its sign-in unless a header has credentials. A sign-in of mcp-remote is taken
    /// over first.
    ///
    /// # Errors
    /// If the URL or a header cannot be used.
    pub async fn backend(
        &self,
        around: Surroundings<'_>,
        signing_in: Option<SigningIn>,
    ) -> Result<Backend, LineError> {
        let http = self.http(around)?;
        let signing_in = signing_in.filter(|_| !http.has_header("authorization"));
        let Some(with) = signing_in else {
            return Ok(Backend::url(http));
        };
        let settings = self.settings(http.clone(), with.store, with.has_browser);
        if let Some(folder) = &with.mcp_remote {
            adopt_mcp_remote(&settings, folder, &self.lookup()).await;
        }
        let account = Account::new(settings, Performer::Worker(with.worker));
        Ok(Backend::url(http).signing_in(Some(account)))
    }

    /// How to sign in to the server of `http`.
    fn settings(&self, http: HttpOptions, store: StoreOptions, has_browser: bool) -> Settings {
        // A client that is registered elsewhere has its redirect URI there, port included.
        let is_registered = self.oauth.client.is_some() || self.oauth.metadata_url.is_some();
        let usual = is_registered.then(|| self.lookup().callback_port());
        Settings {
            http,
            client: Arc::new(self.client()),
            assertion_file: None,
            store,
            has_browser,
            callback_port: self.callback_port.or(usual),
            timeout: self.oauth.timeout.max(Duration::from_secs(1)),
        }
    }

    /// The bridge from a client to the server.
    pub fn bridge(&self, backend: Backend) -> Bridge {
        let mut bridge = Bridge::new(backend);
        let hidden = HiddenTools::new(&self.hidden_tools);
        if !hidden.is_empty() {
            bridge = bridge.layer(hidden);
        }
        match self.ping {
            Some(every) => bridge.layer(Pings(every)),
            None => bridge,
        }
    }
}
