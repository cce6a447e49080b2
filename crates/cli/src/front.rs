//! Serves clients on stdio or HTTP, for all commands.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Duration;

use linkspan_bridge::{Bridge, ServeOptions, ServeSettings, StdioOptions, bind, bind_unix};
use linkspan_console::Signals;
use linkspan_ports::Token;

use crate::args::listen::{GuardArgs, ListenArgs};
use crate::environment::variable;
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
    let settings = ServeSettings {
        host: listen.unix.is_none().then_some(listen.host),
        path: listen.path.clone(),
        sse: listen.sse,
        hosts: guard.allow_host.clone(),
        origins: guard.allow_origin.clone(),
        token: guard.token_env.as_deref().map(token).transpose()?,
        resource: protection::options(&guard.auth, listen)?,
        without_token: guard.insecure_no_token,
        header_timeout: guard.header_timeout,
    };
    Ok(settings.options(variable)?)
}

fn token(variable: &str) -> Result<Token, Failure> {
    let value = token_of("--token-env", variable)?;
    Token::parse(&value).ok_or_else(|| {
        Failure::usage(format!("the value of {variable} is not a bearer token"))
            .hint("it must be visible ASCII without spaces")
    })
}
