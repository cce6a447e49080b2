//! Configures the sign-in of a remote server from flags and the environment.

use std::sync::Arc;

use linkspan_auth::Secret;
use linkspan_auth::client::ClientOptions;
use linkspan_auth::store::{KeySource, StoreOptions};
use linkspan_auth_io::{
    Account, BrowserProcess, ClientSettings, IdpSettings, Performer, Settings, Worker,
};
use linkspan_ports::{HttpOptions, Principal};

use crate::args::RemoteArgs;
use crate::args::sign_in::SignInArgs;
use crate::environment::{
    STORE_KEY, can_show_browser, own_program, secret_variables, state_folder, variable,
};
use crate::exit::Failure;
use crate::remote::token_of;

/// The account at a server, unless the flags have credentials or disable the sign-in.
pub(crate) fn account(
    options: &HttpOptions,
    args: &RemoteArgs,
) -> Result<Option<Account>, Failure> {
    // Sockets have no URL that tokens could be stored for.
    let is_other = options.socket().is_some() || options.authorizer.is_some();
    if args.sign_in.no_sign_in || options.has_header("authorization") || is_other {
        return Ok(None);
    }
    // Without a home there is no place for credentials; then the server's refusal is the result.
    let Some(store) = store_options() else {
        return Ok(None);
    };
    let settings = settings(options.clone(), args, store)?;
    Ok(Some(Account::new(settings, Performer::Worker(worker()?))))
}

/// The account of one client of a gateway at a server. Clients may be on other machines, so no browser opens here.
pub(crate) fn account_of(
    options: &HttpOptions,
    args: &RemoteArgs,
    principal: &Principal,
) -> Option<Account> {
    let mut store = store_options()?;
    let name = blake3::hash(principal.key()?).to_hex();
    store.folder = store.folder.join("clients").join(&name[..32]);
    if args.sign_in.no_sign_in || options.has_header("authorization") || options.socket().is_some()
    {
        return None;
    }
    let settings = Settings {
        has_browser: false,
        ..settings(options.clone(), args, store).ok()?
    };
    Some(Account::new(settings, Performer::Worker(worker().ok()?)))
}

/// The process that obtains tokens.
pub(crate) fn worker() -> Result<Worker, Failure> {
    let marker = std::iter::once(linkspan_spawn::MARKER.into());
    let without_env = secret_variables().into_iter().chain(marker);
    Ok(Worker {
        program: own_program()?,
        args: vec!["auth".into(), "worker".into()],
        // Its order has the secrets that it needs, and it starts the browser.
        without_env: without_env.collect(),
    })
}

/// Opens a page in a browser whose environment lacks our secrets; says whether one was started.
pub(crate) fn open_browser(url: &str) -> bool {
    own_program().is_ok_and(|program| {
        let process = BrowserProcess {
            program,
            args: vec!["auth".into(), "browser".into()],
            without_env: secret_variables(),
        };
        process.open(url)
    })
}

/// Where credentials are stored.
pub(crate) fn store_options() -> Option<StoreOptions> {
    let key = match variable(STORE_KEY) {
        Some(key) => KeySource::Given(Secret::new(key)),
        None => KeySource::Auto,
    };
    Some(StoreOptions {
        folder: state_folder()?.join("auth"),
        key,
    })
}

/// The error if there is no place for credentials.
pub(crate) fn no_state() -> Failure {
    Failure::usage("there is no folder for state: HOME is not set")
        .hint("set LINKSPAN_STATE to a folder of your own")
}

/// The settings of a sign-in.
pub(crate) fn settings(
    http: HttpOptions,
    args: &RemoteArgs,
    store: StoreOptions,
) -> Result<Settings, Failure> {
    let flags = &args.sign_in;
    Ok(Settings {
        http,
        client: Arc::new(client_options(flags, args.insecure_http)?),
        assertion_file: flags.assertion_file.clone(),
        store,
        has_browser: !flags.no_browser && can_show_browser(),
        callback_port: flags.callback_port,
        timeout: flags.auth_timeout,
    })
}

fn client_options(flags: &SignInArgs, insecure_http: bool) -> Result<ClientOptions, Failure> {
    let secret = |flag, name: &Option<String>| -> Result<Option<Secret>, Failure> {
        let token = name.as_deref().map(|name| token_of(flag, name));
        Ok(token.transpose()?.map(Secret::new))
    };
    let has_idp = flags.idp_token_endpoint.is_some()
        && flags.idp_client_id.is_some()
        && flags.idp_id_token_env.is_some();
    let idp_secret = flags.idp_client_secret_env.clone().filter(|_| has_idp);
    let settings = ClientSettings {
        client_id: flags.client_id.clone(),
        client_secret: secret("--client-secret-env", &flags.client_secret_env)?,
        client_key: flags.client_key.clone(),
        assertion_file: flags.assertion_file.clone(),
        scopes: flags.scope.clone(),
        idp: IdpSettings {
            issuer: flags.idp_issuer.clone(),
            token_endpoint: flags.idp_token_endpoint.clone(),
            client_id: flags.idp_client_id.clone(),
            client_secret: secret("--idp-client-secret-env", &idp_secret)?,
            id_token: secret("--idp-id-token-env", &flags.idp_id_token_env)?,
        },
    };
    Ok(settings.options(ClientOptions {
        metadata_url: flags.client_metadata_url.clone(),
        grant: flags.grant,
        dpop: flags.dpop,
        authorize_params: flags.authorize_param.clone(),
        send_resource: !flags.no_resource,
        insecure_http,
        callback_host: flags.callback_host.clone(),
        ..ClientOptions::default()
    })?)
}
