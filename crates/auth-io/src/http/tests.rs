//! The transport, with an endpoint on this machine and servers whose names lead wherever a test wants.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// An endpoint that answers 204, and how many connections it got.
async fn endpoint() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer).await;
        }
    });
    (at, count)
}

fn transport(server: &str, lookup: Lookup) -> HttpTransport {
    let mut transport = HttpTransport::new(HttpOptions::new(server, false).unwrap());
    transport.lookup = lookup;
    transport
}

fn form(url: &str) -> HttpRequest {
    HttpRequest::form(url.parse().unwrap(), &[("grant_type", "x")])
}

#[tokio::test]
async fn a_challenge_with_a_byte_that_is_not_ascii_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).await;
        let answer = b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\nwww-authenticate: \
            Bearer error_description=\"abgelaufen f\xfcr jetzt\", resource_metadata=\"https://h/m\"\r\n\r\n";
        let _ = stream.write_all(answer).await;
    });
    let server = format!("http://{at}/mcp");
    let transport = HttpTransport::new(HttpOptions::new(&server, false).unwrap());
    let response = transport.send(form(&server)).await.unwrap();
    let challenge = "Bearer error_description=\"abgelaufen f\u{fffd}r jetzt\", resource_metadata=\"https://h/m\"";
    assert_eq!(response.challenges, [challenge]);
}

#[tokio::test]
async fn a_name_with_one_private_address_does_not_open_this_machine() {
    let (at, count) = endpoint().await;
    let mixed = |_: String, _| -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send>> {
        Box::pin(async {
            ["1.2.3.4", "127.0.0.1"]
                .map(|ip| ip.parse().unwrap())
                .into()
        })
    };
    let transport = transport("https://evil.example/mcp", mixed);
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("http://{host}:{}/token", at.port());
        let refused = transport.send(form(&url)).await.unwrap_err();
        assert!(
            matches!(refused, TransportError::Address { .. }),
            "{refused}"
        );
    }
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_address_that_answered_counts_more_than_the_name() {
    let (at, count) = endpoint().await;
    let here = |_: String, _| -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send>> {
        Box::pin(async { vec!["127.0.0.1".parse().unwrap()] })
    };
    let url = format!("http://{at}/token");
    let rebound = transport("https://evil.example/mcp", here);
    rebound
        .options
        .set_answered_from("1.2.3.4".parse().unwrap());
    assert!(rebound.send(form(&url)).await.is_err());
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let local = transport("https://dev.example/mcp", here);
    assert_eq!(local.send(form(&url)).await.unwrap().status, 204);
}

#[tokio::test]
async fn the_server_itself_is_asked_and_its_address_noted() {
    let (at, _) = endpoint().await;
    let server = format!("http://localhost:{}/mcp", at.port());
    let transport = HttpTransport::new(HttpOptions::new(&server, false).unwrap());
    assert_eq!(transport.send(form(&server)).await.unwrap().status, 204);
    assert_eq!(transport.options.answered_from(), Some(at.ip()));
    let (other, _) = endpoint().await;
    let named = format!("http://{other}/token");
    assert_eq!(transport.send(form(&named)).await.unwrap().status, 204);
}

/// A proxy that answers for every host itself, and the hosts that it was asked for.
async fn proxy() -> (SocketAddr, Arc<parking_lot::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let hosts = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let asked = Arc::clone(&hosts);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap_or(0);
            request.truncate(length);
            let line = String::from_utf8_lossy(&request);
            asked.lock().extend(line.lines().next().map(str::to_owned));
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer).await;
        }
    });
    (at, hosts)
}

#[tokio::test]
async fn a_proxy_on_this_machine_may_be_used_for_a_public_server() {
    let (at, hosts) = proxy().await;
    let mut options = HttpOptions::new("http://server.example/mcp", true).unwrap();
    let value = format!("http://localhost:{}", at.port());
    options.proxy_from(&|name| (name == "HTTP_PROXY").then(|| value.clone()));
    let mut transport = HttpTransport::new(options);
    transport.lookup = |_, _| Box::pin(async { Vec::new() });
    let sent = transport.send(form("http://as.example/token")).await;
    assert_eq!(sent.unwrap().status, 204);
    assert_eq!(*hosts.lock(), ["CONNECT as.example:80 HTTP/1.1"]);
    assert_eq!(transport.options.answered_from(), None);
}

#[tokio::test]
async fn an_endpoint_that_the_user_names_may_be_in_another_network() {
    let (at, _) = endpoint().await;
    let named = format!("http://{at}/token");
    let public = |_: String, _| -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send>> {
        Box::pin(async { vec!["1.2.3.4".parse().unwrap()] })
    };
    let transport = transport("https://server.example/mcp", public).naming(named.parse().ok());
    assert_eq!(transport.send(form(&named)).await.unwrap().status, 204);
    let other = format!("http://{at}/other");
    assert!(transport.send(form(&other)).await.is_err());
}

#[tokio::test]
async fn plain_http_to_another_machine_is_not_sent() {
    let (at, hosts) = proxy().await;
    let value = format!("http://localhost:{}", at.port());
    let mut options = HttpOptions::new("https://server.example/mcp", false).unwrap();
    options.proxy_from(&|name| (name == "HTTP_PROXY").then(|| value.clone()));
    let named = "http://idp.example/token";
    let transport = HttpTransport::new(options).naming(named.parse().ok());
    let refused = transport.send(form(named)).await.unwrap_err();
    assert_eq!(refused, TransportError::Plain("idp.example".to_owned()));
    assert!(hosts.lock().is_empty());
}
