//! `linkspan expose`: HTTP in front, a server behind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use linkspan_ports::{Front, FrontOptions, Token};
use linkspan_session::Config;
use linkspan_wire::Limits;
use tokio::net::TcpListener;

use crate::exit::{Exit, Failure};
use crate::expose_args::{ExposeArgs, GuardArgs, ListenArgs};
use crate::house::{Inn, InnOptions, Server};
use crate::remote::token_of;
use crate::show::say;
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::target::Target;

pub(crate) async fn run(args: ExposeArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    // Every session needs a socket and three pipes.
    linkspan_ports::raise_file_limit();
    let idle = args.servers.idle_timeout;
    let options = FrontOptions {
        limits: Limits::new(args.remote.max_message),
        max_sessions: args.servers.max_sessions,
        max_in_flight: args.servers.max_in_flight,
        idle: Some(idle).filter(|idle| *idle > Duration::ZERO),
        client_era: args.eras.client_era.forced(),
        ..front_options(&args.listen, &args.guard)?
    };
    let target = Target::new(args.url, args.command)?;
    let opener = target.opener(&args.remote)?;
    // The secret is between our clients and us.
    let opener = opener.without_env(args.guard.token_env.as_deref());
    opener.check()?;
    opener.warn_if_unreachable(true);
    let shrinking = Shrinking::of(args.shrink)?;
    let server = Server::new(opener, args.eras.server_era.forced()).shrinking(shrinking);
    let inn = InnOptions {
        share: args.servers.share,
        park: args.servers.park_timeout,
        idle: options.idle,
        max_servers: args.servers.max_sessions,
        session: Config {
            timeout: Some(args.remote.timeout).filter(|timeout| !timeout.is_zero()),
            ..Config::default()
        },
    };
    over_http(signals, server, &args.listen, options, inn).await
}

/// Serves HTTP clients with a server, until somebody ends us.
pub(crate) async fn over_http(
    signals: Signals,
    server: Server,
    listen: &ListenArgs,
    options: FrontOptions,
    inn: InnOptions,
) -> Result<Exit, Failure> {
    let (inn, closing) = Inn::new(server, inn);
    let address = SocketAddr::new(listen.host, listen.port);
    let listener = bind(address).await?;
    let bound = listener.local_addr().unwrap_or(address);
    let path = options.path.clone();
    let front = Front::new(listener, options, Arc::new(inn.clone()))
        .map_err(|e| Failure::new(Exit::Unreachable, format!("cannot listen: {e}")))?;
    // Whoever started us may be waiting for this line.
    say!("http://{bound}{path}");
    tracing::info!("listening on {bound}");

    let mut exit = Exit::Ok;
    let stop = async { exit = signals.stop().await };
    front.serve(stop, || closing.begin()).await;
    closing.wait(inn).await;
    Ok(exit)
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|e| {
        let failure = Failure::new(
            Exit::Unreachable,
            format!("cannot listen on {address}: {e}"),
        );
        match e.kind() {
            std::io::ErrorKind::AddrInUse => {
                failure.hint("another program listens there; --port 0 takes a free port")
            }
            std::io::ErrorKind::PermissionDenied => {
                failure.hint("ports below 1024 belong to the system; take a higher one")
            }
            _ => failure.hint("--host must be an address of this machine"),
        }
    })
}

/// What the flags say about where we listen and who may come in; the rest is as usual.
pub(crate) fn front_options(
    listen: &ListenArgs,
    guard: &GuardArgs,
) -> Result<FrontOptions, Failure> {
    let defaults = FrontOptions::default();
    let token = guard.token_env.as_deref().map(token).transpose()?;
    let is_local = listen.host.is_loopback();
    if !is_local && token.is_none() && !guard.insecure_no_token {
        return Err(Failure::usage(format!(
            "other machines can connect to {}, and no token is set",
            listen.host
        ))
        .hint("give clients a secret with --token-env VAR, or say --insecure-no-token"));
    }
    let mut hosts = defaults.hosts.clone();
    hosts.extend(guard.allow_host.iter().cloned());
    if !is_local && token.is_some() && guard.allow_host.is_empty() {
        // Nobody knows all names of a machine; and a page that rebinds its name has no token.
        hosts.push("*".to_owned());
    }
    Ok(FrontOptions {
        path: listen.path.clone(),
        sse: listen.sse,
        hosts,
        origins: guard.allow_origin.clone(),
        token,
        header_timeout: guard.header_timeout,
        body_timeout: guard.header_timeout,
        ..defaults
    })
}

fn token(variable: &str) -> Result<Token, Failure> {
    let value = token_of("--token-env", variable)?;
    Token::parse(&value).ok_or_else(|| {
        Failure::usage(format!("the value of {variable} is no bearer token"))
            .hint("it must be visible ASCII without spaces")
    })
}
