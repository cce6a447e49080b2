//! Tests of `unix_socket.rs`.

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A socket as a killed process leaves it.
fn leave_behind(path: &Path) {
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
}

#[tokio::test]
async fn a_socket_has_its_permissions_and_is_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    for mode in [0o600, 0o660, 0o666] {
        let socket = UnixSocket::bind(&path, mode).await.unwrap();
        assert_eq!(names(folder.path()), ["mcp.sock"]);
        let found = fs::symlink_metadata(&path).unwrap();
        assert_eq!(found.mode() & 0o7777, mode);
        let (connected, accepted) =
            tokio::join!(UnixStream::connect(&path), socket.listener.accept());
        assert!(connected.is_ok() && accepted.is_ok());
        drop(socket);
        assert_eq!(names(folder.path()), [] as [&str; 0]);
    }
}

#[tokio::test]
async fn a_stale_socket_is_replaced_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    leave_behind(&path);
    let first = UnixSocket::bind(&path, 0o600).await.unwrap();
    let second = UnixSocket::bind(&path, 0o600).await;
    assert!(matches!(second, Err(UnixSocketError::InUse(_))));
    assert!(UnixStream::connect(&path).await.is_ok());
    drop(first);
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

#[tokio::test]
async fn a_file_or_a_link_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    let stale = folder.path().join("stale");
    fs::write(&file, "text").unwrap();
    leave_behind(&stale);
    std::os::unix::fs::symlink(&stale, &link).unwrap();
    for path in [&file, &link] {
        let refused = UnixSocket::bind(path, 0o600).await;
        assert!(matches!(refused, Err(UnixSocketError::OtherFile(_))));
    }
    assert_eq!(fs::read(&file).unwrap(), b"text");
    assert_eq!(names(folder.path()), ["file", "link", "stale"]);
}

#[tokio::test]
async fn the_socket_of_a_successor_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    let first = UnixSocket::bind(&path, 0o600).await.unwrap();
    fs::remove_file(&path).unwrap();
    let second = UnixSocket::bind(&path, 0o600).await.unwrap();
    drop(first);
    assert!(UnixStream::connect(&path).await.is_ok());
    drop(second);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_replace_a_stale_socket_one_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.sock");
    for _ in 0..20 {
        leave_behind(&path);
        let mut binds = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let path = path.clone();
            binds.spawn(async move { UnixSocket::bind(&path, 0o600).await });
        }
        let bound = binds.join_all().await;
        let sockets: Vec<_> = bound.into_iter().filter_map(Result::ok).collect();
        assert_eq!(sockets.len(), 1);
        assert!(UnixStream::connect(sockets[0].path()).await.is_ok());
    }
}

#[tokio::test]
async fn what_cannot_be_bound_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none/mcp.sock");
    let refused = UnixSocket::bind(&missing, 0o600).await.unwrap_err();
    assert_eq!(refused.hint(), "make its folder first");
    let deep = folder.path().join("d".repeat(120)).join("s");
    fs::create_dir(deep.parent().unwrap()).unwrap();
    let long = folder.path().join("s".repeat(120));
    for path in [&deep, &long] {
        let refused = UnixSocket::bind(path, 0o600).await.unwrap_err();
        assert!(refused.hint().contains("shorter"), "{refused}");
    }
    assert_eq!(names(deep.parent().unwrap()), [] as [&str; 0]);
    assert_eq!(names(folder.path()), ["d".repeat(120)]);
}
