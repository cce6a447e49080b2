//! A server of this machine that says what it was asked.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use linkspan_local::testing::Client;
use linkspan_openapi_io::{OpenApiServer, OpenError, OpenOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A server that answers by path. It ends with the test.
pub struct Server {
    pub url: String,
    /// A permit for each request to `/hang` that has arrived, and one for each that was dropped.
    pub arrived: Arc<Semaphore>,
    pub dropped: Arc<Semaphore>,
    folder: TempDir,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Answer = http::Response<Full<Bytes>>;

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (arrived, dropped) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let signals = (arrived.clone(), dropped.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let signals = signals.clone();
                let service = service_fn(move |request| answer(request, signals.clone()));
                let connection = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        Self {
            url,
            arrived,
            dropped,
            folder: tempfile::tempdir().unwrap(),
            task,
        }
    }
}

/// Adds a permit when it is dropped.
struct Told(Arc<Semaphore>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

async fn answer(
    request: http::Request<Incoming>,
    (arrived, dropped): (Arc<Semaphore>, Arc<Semaphore>),
) -> Result<Answer, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let path = head.uri.path();
    let to = |status: u16, target: &str| {
        let answer = http::Response::builder()
            .status(status)
            .header("location", target);
        answer.body(Full::default()).unwrap()
    };
    Ok(match path {
        "/hang" => {
            let _told = Told(dropped);
            arrived.add_permits(1);
            std::future::pending().await
        }
        "/large" => Answer::new(vec![b'x'; 100_000].into()),
        "/moved" => to(307, "/echo"),
        "/away" => to(302, "http://127.0.0.1:1/secret"),
        "/circle" => to(302, "/circle"),
        "/document" => Answer::new(
            document(&format!(
                "http://{}",
                head.headers["host"].to_str().unwrap()
            ))
            .into(),
        ),
        "/elsewhere" => Answer::new(document("http://10.0.0.1:1").into()),
        "/private" if !head.headers.contains_key("authorization") => {
            let refused = http::Response::builder().status(401);
            refused.body(Full::default()).unwrap()
        }
        "/private" => Answer::new(document("/").into()),
        _ => Answer::new(echo(&head, &body).into()),
    })
}

/// What the server was asked, as JSON.
fn echo(head: &http::request::Parts, body: &[u8]) -> String {
    let headers: serde_json::Map<_, _> = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().unwrap())))
        .collect();
    json!({
        "method": head.method.as_str(),
        "uri": head.uri.to_string(),
        "headers": headers,
        "body": String::from_utf8_lossy(body),
    })
    .to_string()
}

/// One operation for each path of the server, and one with all kinds of arguments.
pub fn document(url: &str) -> String {
    let plain = |name: &str| {
        json!({"get": {"operationId": name}, "post": {"operationId": format!("post_{name}"),
        "requestBody": {"content": {"application/json": {"schema": {"properties": {"a": {}}}}}}}})
    };
    let mut paths = serde_json::Map::new();
    for name in ["hang", "large", "moved", "away", "circle", "private"] {
        paths.insert(format!("/{name}"), plain(name));
    }
    let parameters = json!([{"name": "q", "in": "query"}, {"name": "X-Fine", "in": "header"}]);
    let content =
        json!({"application/json": {"schema": {"properties": {"n": {"type": "number"}}}}});
    let echo = json!({"operationId": "echo", "parameters": parameters, "requestBody": {"content": content}});
    paths.insert(
        "/echo/{id}".to_owned(),
        json!({"put": echo, "delete": {"operationId": "remove"}}),
    );
    json!({"openapi": "3.0.0", "info": {"title": "Echo", "version": "7", "description": "Says what it is asked."},
        "servers": [{"url": url}], "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}}, "paths": paths})
    .to_string()
}

/// How a document is opened: with a token and a key.
pub fn options(document: String) -> OpenOptions {
    let variable = |name: &str| match name {
        "TOK" => Some("tok".to_owned()),
        "KEY" => Some("secret-key".to_owned()),
        _ => None,
    };
    OpenOptions {
        bearer_env: Some("TOK".to_owned()),
        credential_env: vec!["key=KEY".to_owned()],
        insecure_http: true,
        timeout: Duration::from_secs(20),
        max_response: 50_000,
        ..OpenOptions::new(&document, variable)
    }
}

/// The same for the document of a server in a file.
pub fn file(server: &Server) -> OpenOptions {
    let path = server.folder.path().join("echo.json");
    std::fs::write(&path, document(&server.url)).unwrap();
    options(path.to_str().unwrap().to_owned())
}

/// A client of a document.
pub async fn client(options: OpenOptions) -> Client {
    let server = OpenApiServer::open(options).await.unwrap();
    let mut client = Client::over(server.backend().open().unwrap());
    client.greet("{}").await;
    client
}

/// The error of a document that is not opened.
pub async fn refused(options: OpenOptions) -> OpenError {
    OpenApiServer::open(options)
        .await
        .err()
        .expect("it is refused")
}

/// The result of a call.
pub async fn call(client: &mut Client, tool: &str, arguments: &str) -> Value {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let answer = client.ask(7, "tools/call", &params).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["result"].clone()
}

/// The first text of a result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
