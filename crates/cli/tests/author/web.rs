//! A web server with its own certificate, and a git repository behind it.

use std::io;
use std::net::TcpListener as StdListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Answers at `localhost`.
pub struct Web {
    pub port: u16,
    /// The CA certificate.
    pub ca: PathBuf,
    /// The requests, with all headers.
    pub asked: Arc<Mutex<Vec<String>>>,
}

/// An answer: the status, further headers, the body.
pub type Answer = (u16, String, Vec<u8>);

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Web {
    /// Pages by `pages`, and below `/git/` the repositories of a folder.
    pub fn start(dir: &Path, pages: fn(&str, u16) -> Answer) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
        let made = made.expect("a certificate can be made");
        let ca = dir.join("ca.pem");
        std::fs::write(&ca, made.cert.pem()).expect("a file can be written");
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("TLS has versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("they belong together");
        let listener = StdListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("it is ours");
        let port = listener.local_addr().expect("it is bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        let repositories = dir.to_owned();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("it is bound");
                let acceptor = TlsAcceptor::from(Arc::new(config));
                while let Ok((client, _)) = listener.accept().await {
                    let (acceptor, noted) = (acceptor.clone(), noted.clone());
                    let repositories = repositories.clone();
                    tokio::spawn(async move {
                        let mut stream = acceptor.accept(client).await?;
                        let request = request(&mut stream).await?;
                        noted
                            .lock()
                            .expect("no holder of the lock panics")
                            .push(request.head.clone());
                        let path = request.head.split(' ').nth(1).unwrap_or_default();
                        let (status, headers, body) = match path.strip_prefix("/git") {
                            Some(inner) => backend(&repositories, inner, &request),
                            None => pages(path, port),
                        };
                        let length = match headers.contains("Transfer-Encoding") {
                            true => String::new(),
                            false => format!("Content-Length: {}\r\n", body.len()),
                        };
                        let head = format!(
                            "HTTP/1.1 {status} X\r\n{headers}{length}Connection: close\r\n\r\n"
                        );
                        stream.write_all(head.as_bytes()).await?;
                        stream.write_all(&body).await?;
                        stream.shutdown().await
                    });
                }
            });
        });
        Self { port, ca, asked }
    }
}

async fn request(stream: &mut (impl AsyncReadExt + Unpin)) -> io::Result<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < 10_000 {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = header(&head, "content-length").and_then(|n| n.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    Ok(Request { head, body })
}

fn header(head: &str, name: &str) -> Option<String> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let mut values = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
    values.next().map(|(_, value)| value.to_owned())
}

/// What `git http-backend` answers.
fn backend(repositories: &Path, path: &str, request: &Request) -> Answer {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut child = std::process::Command::new("git")
        .arg("http-backend")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_PROJECT_ROOT", repositories)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REMOTE_ADDR", "127.0.0.1")
        .env(
            "REQUEST_METHOD",
            request.head.split(' ').next().unwrap_or_default(),
        )
        .env(
            "CONTENT_TYPE",
            header(&request.head, "content-type").unwrap_or_default(),
        )
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env(
            "HTTP_CONTENT_ENCODING",
            header(&request.head, "content-encoding").unwrap_or_default(),
        )
        .env(
            "HTTP_GIT_PROTOCOL",
            header(&request.head, "git-protocol").unwrap_or_default(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("git starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // git need not read it.
    let _ = io::Write::write_all(&mut stdin, &request.body);
    drop(stdin);
    let printed = child.wait_with_output().expect("git ends").stdout;
    let end = printed.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.expect("it prints headers");
    let headers = String::from_utf8_lossy(&printed[..end + 2]).into_owned();
    let status = header(&headers, "status").and_then(|status| status[..3].parse().ok());
    (status.unwrap_or(200), headers, printed[end + 4..].to_vec())
}
