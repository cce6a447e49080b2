//! https, private certificates, and proxies.

use std::io;
use std::net::TcpListener as StdListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use linkspan_testkit::{Bridge, Message, Server};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::setup::{LATEST, assert_kind, assert_works, launch};

const HOST: &str = "mcp.example.test";

/// TLS in front of a fake server. As a proxy it requires a CONNECT first, and records it.
struct Gate {
    port: u16,
    ca: PathBuf,
    connects: Arc<Mutex<Vec<String>>>,
}

impl Gate {
    fn start(server: &Server, name: &str, is_proxy: bool) -> io::Result<Self> {
        Self::with(server, name, is_proxy, |_| {})
    }

    /// The same with another certificate.
    fn with(
        server: &Server,
        name: &str,
        is_proxy: bool,
        change: impl FnOnce(&mut CertificateParams),
    ) -> io::Result<Self> {
        let (ca, config) = identity(name, change)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let listener = StdListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let connects = Arc::new(Mutex::new(Vec::new()));
        let (noted, behind) = (Arc::clone(&connects), server.port());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("it is bound");
                while let Ok((client, _)) = listener.accept().await {
                    let (acceptor, noted) = (acceptor.clone(), Arc::clone(&noted));
                    tokio::spawn(pass(client, acceptor, behind, is_proxy.then_some(noted)));
                }
            });
        });
        Ok(Self { port, ca, connects })
    }

    fn ca(&self) -> &str {
        self.ca.to_str().expect("our own name is UTF-8")
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.ca);
    }
}

/// A certificate of our own, as a file to trust and a server to be.
fn identity(
    name: &str,
    change: impl FnOnce(&mut CertificateParams),
) -> io::Result<(PathBuf, ServerConfig)> {
    let names = vec!["localhost".to_owned(), HOST.to_owned()];
    let mut params = CertificateParams::new(names).map_err(io::Error::other)?;
    change(&mut params);
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let cert = params.self_signed(&key).map_err(io::Error::other)?;
    let file = format!("{name}-{}.pem", std::process::id());
    let ca = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&ca, cert.pem())?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|c| {
            c.with_no_client_auth()
                .with_single_cert(vec![cert.der().clone()], key)
        })
        .map_err(io::Error::other)?;
    Ok((ca, config))
}

async fn pass(
    mut client: TcpStream,
    acceptor: TlsAcceptor,
    behind: u16,
    proxy: Option<Arc<Mutex<Vec<String>>>>,
) -> io::Result<()> {
    if let Some(noted) = proxy {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && head.len() < 10_000 {
            head.push(client.read_u8().await?);
        }
        if let Ok(mut noted) = noted.lock() {
            noted.push(String::from_utf8_lossy(&head).into_owned());
        }
        client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
    }
    let mut client = acceptor.accept(client).await?;
    let mut server = TcpStream::connect(("127.0.0.1", behind)).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

fn shake_hands(bridge: &Bridge) {
    bridge.initialize(LATEST);
    assert_works(bridge);
}

#[test]
fn a_server_with_a_private_certificate_is_reached_with_its_ca() {
    let server = Server::legacy().start();
    let gate = Gate::start(&server, "ca", false).unwrap();
    let url = format!("https://localhost:{}/mcp", gate.port);
    shake_hands(&launch(&url, &["--ca", gate.ca()]).start());
}

/// As `openssl req -x509` makes it.
fn as_ca(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

/// The answer to a request that does not reach its server.
fn refused(url: &str, ca: &[&str]) -> Message {
    let flags = [&["--retries", "0"], ca].concat();
    let bridge = launch(url, &flags).start();
    bridge.request("1", "ping", &serde_json::json!({}));
    let answer = bridge.answer("1");
    assert_kind(&answer, "connect_failed");
    answer
}

#[test]
fn a_self_signed_certificate_that_is_a_ca_is_accepted_if_it_is_the_one_given() {
    let server = Server::legacy().start();
    let gate = Gate::with(&server, "self", false, as_ca).unwrap();
    let url = format!("https://localhost:{}/mcp", gate.port);
    shake_hands(&launch(&url, &["--ca", gate.ca()]).start());

    let seen = server.requests().len();
    let other = Gate::with(&server, "other-self", false, as_ca).unwrap();
    for ca in [&[][..], &["--ca", other.ca()]] {
        let answer = refused(&url, ca);
        let hint = answer.hint().expect("a hint");
        assert!(hint.contains("this very certificate"), "{hint}");
    }
    assert_eq!(server.requests().len(), seen);
}

#[test]
fn a_given_certificate_counts_for_its_names_and_its_time_only() {
    let server = Server::legacy().start();
    let gate = Gate::with(&server, "named", false, as_ca).unwrap();
    let url = format!("https://127.0.0.1:{}/mcp", gate.port);
    let answer = refused(&url, &["--ca", gate.ca()]);
    assert!(answer.text.contains("another name"), "{}", answer.text);

    let expired = |params: &mut CertificateParams| {
        as_ca(params);
        params.not_after = date_time_ymd(2020, 1, 1);
    };
    let gate = Gate::with(&server, "expired", false, expired).unwrap();
    let url = format!("https://localhost:{}/mcp", gate.port);
    let answer = refused(&url, &["--ca", gate.ca()]);
    assert!(answer.text.contains("out of date"), "{}", answer.text);
    assert!(server.requests().is_empty());
}

#[test]
fn an_untrusted_certificate_is_refused() {
    let server = Server::legacy().start();
    let gate = Gate::start(&server, "stranger", false).unwrap();
    let url = format!("https://localhost:{}/mcp", gate.port);
    let bridge = launch(&url, &["--retries", "0"]).start();
    bridge.request("1", "ping", &serde_json::json!({}));
    let answer = bridge.answer("1");
    assert_kind(&answer, "connect_failed");
    assert!(answer.text.contains("certificate"), "{}", answer.text);
    assert!(
        answer.hint().is_some_and(|hint| hint.contains("--ca")),
        "{}",
        answer.text
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_proxy_of_the_environment_is_used_and_gets_its_own_credentials_only() {
    let server = Server::legacy().start();
    let gate = Gate::start(&server, "proxy", true).unwrap();
    let url = format!("https://{HOST}/mcp");
    let proxy = format!("http://me:pw@127.0.0.1:{}", gate.port);
    let flags = ["--ca", gate.ca(), "-H", "X-Key: server-secret"];
    let bridge = launch(&url, &flags).env("HTTPS_PROXY", &proxy).start();
    shake_hands(&bridge);

    let connects = gate.connects.lock().unwrap();
    assert!(
        connects[0].starts_with(&format!("CONNECT {HOST}:443 ")),
        "{connects:?}"
    );
    assert!(
        connects[0]
            .to_lowercase()
            .contains("proxy-authorization: basic bwu6chc=")
    );
    assert!(!connects.iter().any(|head| head.contains("server-secret")));
}

#[test]
fn a_proxy_that_we_cannot_speak_to_is_a_usage_error() {
    let proxy = "https://127.0.0.1:1";
    let mut bridge = launch("https://mcp.example.test/mcp", &[])
        .env("HTTPS_PROXY", proxy)
        .start();
    assert_eq!(bridge.exit_code(), Some(2));
    assert!(bridge.stderr().contains("socks5://"), "{}", bridge.stderr());
}

#[test]
fn this_machine_is_reached_without_a_proxy() {
    let server = Server::legacy().start();
    let bridge = launch(&server.url(), &[])
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .env("ALL_PROXY", "http://127.0.0.1:1")
        .start();
    shake_hands(&bridge);
}

/// Answers every request over HTTP/2, and says so in the answer.
async fn answer(
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<hyper::Response<String>, hyper::Error> {
    use http_body_util::BodyExt;

    let version = format!("{:?}", request.version());
    let body = request.into_body().collect().await?.to_bytes();
    let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut response = hyper::Response::new(String::new());
    if message["id"].is_null() {
        *response.status_mut() = hyper::StatusCode::ACCEPTED;
        return Ok(response);
    }
    let result = serde_json::json!({
        "protocolVersion": LATEST, "capabilities": {}, "spoken": version,
        "serverInfo": {"name": "two", "version": "1"},
    });
    *response.body_mut() =
        serde_json::json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert("content-type", json);
    Ok(response)
}

#[test]
fn a_server_that_offers_http_2_is_spoken_to_in_it() {
    let (ca, mut config) = identity("h2", |_| {}).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("it is bound");
            while let Ok((client, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let client = acceptor.accept(client).await?;
                    let executor = hyper_util::rt::TokioExecutor::new();
                    let io = hyper_util::rt::TokioIo::new(client);
                    hyper::server::conn::http2::Builder::new(executor)
                        .serve_connection(io, hyper::service::service_fn(answer))
                        .await
                        .map_err(io::Error::other)
                });
            }
        });
    });
    let url = format!("https://localhost:{port}/mcp");
    let bridge = launch(&url, &["--ca", ca.to_str().expect("UTF-8")]).start();
    let greeting = bridge.initialize(LATEST);
    assert_eq!(
        greeting.string_at(&["result", "spoken"]).as_deref(),
        Some("HTTP/2.0")
    );
    for id in ["1", "2", "3"] {
        bridge.call(id, "anything", &serde_json::json!({}));
    }
    for id in ["3", "2", "1"] {
        assert!(bridge.answer(id).result.is_some());
    }
    let _ = std::fs::remove_file(ca);
}
