//! Tests with repositories of this machine.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use linkspan_local::testing::Client;
use linkspan_wire::quote;
use serde_json::Value;

use crate::serve::tests::options;
use crate::serve::{Folder, Options};

struct Scene {
    base: tempfile::TempDir,
    folder: Arc<Folder>,
    client: Client,
    last: u64,
}

/// Whether git is installed.
fn has_git() -> bool {
    let found = Command::new("git").arg("version").output();
    let has = found.is_ok_and(|ran| ran.status.success());
    if !has {
        eprintln!("skipped: there is no git here");
    }
    has
}

fn git(dir: &Path, words: &[&str]) -> String {
    let who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    let ran = Command::new("git")
        .args(who)
        .args(["-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// A repository with two revisions of `docs/a.txt`, the older one tagged.
fn repository(at: &Path) {
    fs::create_dir_all(at.join("docs")).unwrap();
    git(at, &["init", "--quiet"]);
    for text in ["old\n", "new\n"] {
        fs::write(at.join("docs/a.txt"), text).unwrap();
        fs::write(at.join("bytes"), b"\xff\0").unwrap();
        git(at, &["add", "."]);
        git(at, &["commit", "--quiet", "-m", text.trim()]);
        if text == "old\n" {
            git(at, &["tag", "v1"]);
        }
    }
}

impl Scene {
    async fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("served");
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        repository(&root.join("repo"));
        repository(&base.path().join("elsewhere"));
        repository(&base.path().join("opened"));
        let options = Options {
            git: true,
            roots: vec![base.path().canonicalize().unwrap().join("opened")],
            ..options()
        };
        let folder = Folder::open(&root, options).unwrap();
        let mut client = Client::over(folder.port());
        client.greet("{}").await;
        Self {
            base,
            folder,
            client,
            last: 0,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(name)
    }

    async fn read(&mut self, uri: &str) -> Value {
        self.last += 1;
        let params = format!(r#"{{"uri":{}}}"#, quote(uri));
        let answer = self.client.ask(self.last, "resources/read", &params).await;
        serde_json::from_str(&answer).unwrap()
    }

    async fn text(&mut self, uri: &str) -> String {
        let read = self.read(uri).await;
        let text = read["result"]["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{uri}: {read}")).to_owned()
    }

    /// The code and message of an error.
    async fn error(&mut self, uri: &str) -> (i64, String) {
        let read = self.read(uri).await;
        let error = &read["error"];
        let words = error["message"].as_str();
        let words = words.unwrap_or_else(|| panic!("{uri}: {read}"));
        (error["code"].as_i64().unwrap(), words.to_owned())
    }

    async fn end(self) {
        self.client.close().await;
        self.folder.close().await;
        let left = fs::read_dir(self.folder.runner.folder()).unwrap().count();
        assert_eq!(left, 0, "files are left behind");
    }
}

#[tokio::test]
async fn a_file_is_read_at_a_revision() {
    if !has_git() {
        return;
    }
    let mut scene = Scene::new().await;
    let repo = scene.path("served/repo");
    let commit = git(&repo, &["rev-parse", "v1"]);
    let at = repo.display();
    for (uri, text) in [
        (format!("git://{at}#docs/a.txt"), "new\n"),
        (format!("git://{at}?ref=main#docs/a.txt"), "new\n"),
        (format!("git+file://{at}?ref=v1#docs/a.txt"), "old\n"),
        (format!("git://{at}?ref={commit}#docs/a.txt"), "old\n"),
        (format!("git://{at}#v1:docs/a.txt"), "old\n"),
        (format!("git://{at}/.git?ref=v1#docs/a.txt"), "old\n"),
        (
            format!("git://{}#v1:docs/a.txt", scene.path("opened").display()),
            "old\n",
        ),
    ] {
        assert_eq!(scene.text(&uri).await, text, "{uri}");
    }
    let read = scene.read(&format!("git://{at}#bytes")).await;
    assert_eq!(read["result"]["contents"][0]["blob"], "/wA=");
    scene.end().await;
}

#[tokio::test]
async fn missing_files_and_folders_are_not_found() {
    if !has_git() {
        return;
    }
    let mut scene = Scene::new().await;
    let at = scene.path("served/repo").display().to_string();
    fs::create_dir(scene.path("served/empty")).unwrap();
    for uri in [
        format!("git://{at}#none"),
        format!("git://{at}?ref=none#docs/a.txt"),
        format!("git://{at}?ref=0123456789012345678901234567890123456789#docs/a.txt"),
        format!("git://{at}x#docs/a.txt"),
        format!("git://{}#x", scene.path("served/empty").display()),
    ] {
        assert_eq!(scene.error(&uri).await.0, -32002, "{uri}");
    }
    let (code, why) = scene.error(&format!("git://{at}#docs")).await;
    assert_eq!(code, -32602);
    assert!(why.contains("a folder"), "{why}");
    let (code, why) = scene.error(&format!("git://{at}?ref=--help#x")).await;
    assert_eq!(code, -32602);
    assert!(why.contains("its ref is no branch"), "{why}");
    let (code, why) = scene.error("git+https://example.org/r#x").await;
    assert_eq!(code, -32602, "{why}");
    scene.end().await;
}

#[tokio::test]
async fn a_repository_outside_the_roots_is_never_read() {
    if !has_git() {
        return;
    }
    let mut scene = Scene::new().await;
    let served = scene.path("served");
    let other = scene.path("elsewhere");
    symlink(&other, served.join("link")).unwrap();
    fs::create_dir(served.join("half")).unwrap();
    symlink(other.join(".git"), served.join("half/.git")).unwrap();
    git(
        &served,
        &["clone", "--quiet", "--shared", "../elsewhere", "borrowed"],
    );
    repository(&served.join("moved"));
    fs::remove_dir_all(served.join("moved/.git/objects")).unwrap();
    symlink(
        other.join(".git/objects"),
        served.join("moved/.git/objects"),
    )
    .unwrap();
    git(&other, &["worktree", "add", "--quiet", "../served/tree"]);
    for (path, code) in [
        (other.clone(), -32602),
        (scene.path("nothing"), -32602),
        (served.join("../elsewhere"), -32602),
        (served.join("link"), -32602),
        (served.join("half"), -32602),
        (served.join("borrowed"), -32602),
        (served.join("moved"), -32602),
        (served.join("tree"), -32602),
    ] {
        let uri = format!("git://{}#docs/a.txt", path.display());
        let (found, why) = scene.error(&uri).await;
        assert_eq!(found, code, "{uri}: {why}");
        assert!(!why.contains("new"), "{why}");
    }
    scene.end().await;
}

#[tokio::test]
async fn a_file_above_the_limit_is_not_read() {
    if !has_git() {
        return;
    }
    let mut scene = Scene::new().await;
    let repo = scene.path("served/repo");
    fs::write(repo.join("large"), vec![b'x'; (10 << 20) + 1]).unwrap();
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "--quiet", "-m", "large"]);
    let (code, why) = scene
        .error(&format!("git://{}#large", repo.display()))
        .await;
    assert_eq!(code, -32603);
    assert!(why.contains("more than 10485760 bytes"), "{why}");
    scene.end().await;
}

#[tokio::test]
async fn a_hostile_repository_runs_nothing() {
    if !has_git() {
        return;
    }
    let mut scene = Scene::new().await;
    let repo = scene.path("served/repo");
    let mark = scene.path("ran");
    let touch = format!("touch {}", mark.display());
    for (name, value) in [
        ("core.fsmonitor", touch.as_str()),
        ("core.pager", &touch),
        ("core.sshCommand", &touch),
        ("core.gitProxy", &touch),
        ("alias.cat-file", &format!("!{touch}")),
        ("diff.x.textconv", &touch),
        ("filter.x.smudge", &touch),
        ("core.alternateRefsCommand", &touch),
        ("remote.origin.url", &format!("ext::{touch}")),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ] {
        git(&repo, &["config", name, value]);
    }
    git(&repo, &["config", "extensions.partialClone", "origin"]);
    git(&repo, &["config", "core.repositoryformatversion", "1"]);
    // A missing object, which git would normally fetch.
    let blob = git(&repo, &["rev-parse", "HEAD:docs/a.txt"]);
    let object = repo.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    fs::remove_file(object).unwrap();
    fs::write(repo.join(".gitattributes"), "* diff=x filter=x\n").unwrap();
    let at = repo.display();
    let read = scene.read(&format!("git://{at}#docs/a.txt")).await;
    assert!(read.get("error").is_some(), "{read}");
    assert_eq!(
        scene.text(&format!("git://{at}#v1:docs/a.txt")).await,
        "old\n"
    );
    assert!(!mark.exists(), "it ran");
    scene.end().await;
}

#[tokio::test]
async fn git_is_off_unless_it_is_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path(), options()).unwrap();
    let mut client = Client::over(folder.port());
    client.greet("{}").await;
    for (id, uri) in [
        (1, "git:///x#y"),
        (2, "git+https://h.org/r#y"),
        (3, "https://h.org/"),
    ] {
        let params = format!(r#"{{"uri":{}}}"#, quote(uri));
        let answer = client.ask(id, "resources/read", &params).await;
        assert!(answer.contains("-32002"), "{answer}");
    }
    client.close().await;
    folder.close().await;
}
