//! Both halves of the handshake against each other.

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use super::*;

const SECRET: &str = "a secret";

/// The client connects with `secret`; returns whether the conductor finds a matching key, and the client's
/// result.
async fn over_tcp(secret: &'static str) -> (bool, Result<(), ConnectError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = spawn_blocking(move || connect_tcp(port, secret).map(drop));
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let key = Key::of(SECRET);
    let find = |fits: &dyn Fn(&Key) -> bool| fits(&key).then(|| ((), key.clone()));
    let found = identify(Transport::Tcp, &mut reader, &mut writer, find).await;
    drop(stream);
    (found.is_some(), client.await.unwrap())
}

#[tokio::test]
async fn both_sides_accept_the_same_secret() {
    let (found, connected) = over_tcp(SECRET).await;
    assert!(found && connected.is_ok(), "{connected:?}");
}

#[tokio::test]
async fn both_sides_refuse_another_secret() {
    let (found, connected) = over_tcp("another secret").await;
    assert!(!found);
    assert!(matches!(
        connected,
        Err(ConnectError::NotTheConductor { .. })
    ));
}

#[tokio::test]
async fn a_listener_without_the_secret_is_not_the_conductor() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = spawn_blocking(move || connect_tcp(port, SECRET).map(drop));
    let (mut stream, _) = listener.accept().await.unwrap();
    let proof = "0".repeat(64);
    let lines = format!("nonce\n{proof}\n");
    stream.write_all(lines.as_bytes()).await.unwrap();
    let error = client.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("port {port} does not belong to the conductor: it does not know the secret")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn over_a_private_socket_the_secret_is_the_first_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let path = path.to_str().unwrap().to_owned();
    let client = spawn_blocking(move || connect_unix(&path, SECRET));
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let key = Key::of(SECRET);
    let find = |fits: &dyn Fn(&Key) -> bool| fits(&key).then(|| ((), key.clone()));
    let found = identify(Transport::PrivateSocket, &mut reader, &mut writer, find).await;
    assert_eq!(found, Some(((), Vec::new())));
    client.await.unwrap().unwrap();
}
