//! Serves clients on stdio or HTTP, for all commands.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Duration;

use linkspan_bridge::{Bridge, ServeOptions, StdioOptions, bind, bind_unix};
use linkspan_console::Signals;
use linkspan_ports::{FrontOptions, Token};

use crate::args::listen::{GuardArgs, ListenArgs};
use crate::exit::{Exit, Failure};
use crate::protection;
use crate::remote::token_of;
use crate::show::say;
use crate::waiting;

/// Serves HTTP clients if there are arguments for them, else the client on stdin and stdout. `try_it` is a command line
/// that shows the same server to a person.
pub(crate) async fn serve(
    signals: Signals,
    bridge: Bridge,
    web: Option<(&ListenArgs, &GuardArgs)>,
    drain: Duration,
    try_it: &str,
) -> Result<Exit, Failure> {
    if let Some((listen, guard)) = web {
        return serve_http(signals, bridge, listen, serve_options(listen, guard)?).await;
    }
    waiting::for_client(try_it);
    let defaults = StdioOptions::default();
    serve_stdio(signals, bridge, StdioOptions { drain, ..defaults }).await
}

/// Serves the client on stdin and stdout until it closes or a signal arrives.
pub(crate) async fn serve_stdio(
    signals: Signals,
    bridge: Bridge,
    options: StdioOptions,
) -> Result<Exit, Failure> {
    let signal = Cell::new(None);
    let stop = async { signal.set(Some(Exit::from(signals.stop().await))) };
    bridge.serve_stdio(options).run(stop).await?;
    Ok(signal.get().unwrap_or(Exit::Ok))
}

/// Serves HTTP clients until a signal comes.
pub(crate) async fn serve_http(
    signals: Signals,
    bridge: Bridge,
    listen: &ListenArgs,
    options: ServeOptions,
) -> Result<Exit, Failure> {
    // Every session needs a socket and three pipes.
    linkspan_ports::raise_file_limit();
    let listener = match &listen.unix {
        Some(path) => bind_unix(path, listen.unix_mode).await?,
        None => bind(SocketAddr::new(listen.host, listen.port)).await?,
    };
    let bridge = bridge.serve_http(listener, options)?;
    // Programs that start us wait for this line.
    say!("{}", bridge.url());
    tracing::info!("listening on {}", bridge.url());
    let mut exit = Exit::Ok;
    bridge
        .run(async { exit = signals.stop().await.into() })
        .await;
    Ok(exit)
}

/// A time limit from the command line, where 0 means none.
pub(crate) fn limit(time: Duration) -> Option<Duration> {
    Some(time).filter(|time| !time.is_zero())
}

/// The options of the listener and of its guard, from the flags; the rest is the default.
pub(crate) fn serve_options(
    listen: &ListenArgs,
    guard: &GuardArgs,
) -> Result<ServeOptions, Failure> {
    let defaults = FrontOptions::default();
    let token = guard.token_env.as_deref().map(token).transpose()?;
    let resource = protection::options(&guard.auth, listen)?;
    let is_local = listen.unix.is_some() || listen.host.is_loopback();
    let is_guarded = token.is_some() || resource.is_some();
    if !is_local && !is_guarded && !guard.insecure_no_token {
        return Err(Failure::usage(format!(
            "other machines can connect to {}, and no token is set",
            listen.host
        ))
        .hint("give clients a secret with --token-env VAR or keys with --keys FILE, accept tokens with --auth-issuer URL, or use --insecure-no-token"));
    }
    let mut hosts = defaults.hosts.clone();
    hosts.extend(guard.allow_host.iter().cloned());
    let public_url = resource.iter().filter_map(|one| one.public_url.as_ref());
    hosts.extend(public_url.map(|url| url.host()));
    if (listen.unix.is_some() || !is_local && is_guarded) && guard.allow_host.is_empty() {
        // The names of the machine are not known here, and a page that rebinds its name has no token. A browser cannot
        // connect to a Unix socket at all; a proxy in front of one may send any name.
        hosts.push("*".to_owned());
    }
    let front = FrontOptions {
        path: listen.path.clone(),
        sse: listen.sse,
        hosts,
        origins: guard.allow_origin.clone(),
        token,
        header_timeout: guard.header_timeout,
        body_timeout: guard.header_timeout,
        ..defaults
    };
    Ok(ServeOptions {
        forward_identity: resource.as_ref().and_then(|one| one.signer.clone()),
        guard: resource.map(protection::guard),
        ..front.into()
    })
}

fn token(variable: &str) -> Result<Token, Failure> {
    let value = token_of("--token-env", variable)?;
    Token::parse(&value).ok_or_else(|| {
        Failure::usage(format!("the value of {variable} is not a bearer token"))
            .hint("it must be visible ASCII without spaces")
    })
}
