//! Fetches from a repository of another machine: as little as one file needs, into a temporary folder.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::address::{Address, Remote};
use super::command::{Git, TALK, said};
use crate::run::{Runner, random_name};
use crate::serve::options::{Hosts, NotFetched};

/// Time limit of the whole fetch.
const WHOLE: Duration = Duration::from_secs(60);
/// Size limit of a fetch: the trees of a revision, and more if the server does not support filters.
const REPOSITORY: u64 = 64 << 20;
/// Interval of the size check.
const LOOK: Duration = Duration::from_millis(100);
/// Older versions of git cannot pin the address of a name.
const OLDEST: (u32, u32) = (2, 37);

pub(super) async fn read(
    runner: &Arc<Runner>,
    hosts: &dyn Hosts,
    remote: &Remote,
    address: &Address,
    most: usize,
) -> Result<Vec<u8>, NotFetched> {
    let addresses = hosts.addresses(&remote.host, remote.port).await?;
    let copy = Copy::new(runner, remote).map_err(|e| {
        NotFetched::Failed(format!(
            "there is no room for a repository: {e}; see TMPDIR"
        ))
    })?;
    let git = Git {
        runner,
        dir: copy.dir.clone(),
        protocol: "https",
        settings: pinned(remote, &addresses),
        time: WHOLE,
    };
    let working = fetch(&git, address, most);
    tokio::select! {
        done = timeout(WHOLE, working) => done.unwrap_or_else(|_| Err(NotFetched::Failed(
            format!("git takes longer than {} seconds: try again later", WHOLE.as_secs()),
        ))),
        () = outgrows(&copy.dir, REPOSITORY + most as u64) => Err(NotFetched::TooLarge(
            "the repository is too large to be read a file at a time".to_owned(),
        )),
    }
}

async fn fetch(git: &Git<'_>, address: &Address, most: usize) -> Result<Vec<u8>, NotFetched> {
    let version = git.run(&["version"], "", TALK).await?;
    let version = said(&version).unwrap_or_default();
    if parsed(&version).is_none_or(|version| version < OLDEST) {
        return Err(NotFetched::Failed(format!(
            "git is too old to read from others safely: {}.{} is needed",
            OLDEST.0, OLDEST.1
        )));
    }
    let words = [
        "fetch",
        "--quiet",
        "--depth=1",
        "--filter=blob:none",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "origin",
        &address.revision,
    ];
    let fetched = git.run(&words, "", TALK).await?;
    if said(&fetched).is_err() {
        return Err(refused(&fetched.stderr));
    }
    git.file("FETCH_HEAD", &address.path, most).await
}

/// `git version 2.47.3`, and whatever a vendor adds.
fn parsed(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("git version ")?.split('.');
    let mut next = || numbers.next()?.trim().parse().ok();
    Some((next()?, next()?))
}

/// Settings that pin the host to these addresses.
fn pinned(remote: &Remote, addresses: &[IpAddr]) -> Vec<(&'static str, String)> {
    if remote.host.starts_with('[') || remote.host.parse::<IpAddr>().is_ok() {
        return Vec::new();
    }
    let all: Vec<String> = addresses
        .iter()
        .map(|address| match address {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        })
        .collect();
    let entry = format!("{}:{}:{}", remote.host, remote.port, all.join(","));
    vec![("http.curloptResolve", entry)]
}

/// The error for a failed fetch.
fn refused(stderr: &str) -> NotFetched {
    let has = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if has(&[
        "couldn't find remote ref",
        "not our ref",
        "' not found",
        "error: 404",
    ]) {
        return NotFetched::NotFound;
    }
    if has(&[
        "could not read Username",
        "Authentication failed",
        "error: 403",
    ]) {
        return NotFetched::Forbidden(
            "the repository is not public, and linkspan never sends credentials".to_owned(),
        );
    }
    if has(&[
        "error: 301",
        "error: 302",
        "error: 303",
        "error: 307",
        "error: 308",
    ]) {
        return NotFetched::Failed(
            "it is redirected, which git does not follow here: use its new address \
             (many hosts require .git at the end)"
                .to_owned(),
        );
    }
    let why = stderr.lines().map(str::trim).find(|line| !line.is_empty());
    let why: String = why.unwrap_or("it failed").chars().take(300).collect();
    NotFetched::Failed(format!("git could not fetch: {why}"))
}

/// An empty bare repository, written by hand without templates and hooks. Removed on drop.
struct Copy {
    dir: PathBuf,
    runner: Arc<Runner>,
}

impl Copy {
    fn new(runner: &Arc<Runner>, remote: &Remote) -> io::Result<Self> {
        let copy = Self {
            dir: runner.folder().join(format!("{}.git", random_name())),
            runner: runner.clone(),
        };
        for part in ["", "objects", "refs"] {
            fs::create_dir(copy.dir.join(part))?;
        }
        fs::write(copy.dir.join("HEAD"), "ref: refs/heads/none\n")?;
        // The accepted characters of hosts and paths have no meaning in this format.
        let config = format!(
            "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\
             [extensions]\n\tpartialClone = origin\n\
             [remote \"origin\"]\n\turl = \"{}\"\n\tpromisor = true\n\
             \tpartialclonefilter = blob:none\n",
            remote.url()
        );
        fs::write(copy.dir.join("config"), config)?;
        Ok(copy)
    }
}

/// Resolves when the folder exceeds `most` bytes.
async fn outgrows(dir: &Path, most: u64) {
    loop {
        sleep(LOOK).await;
        let dir = dir.to_owned();
        let size = spawn_blocking(move || weight(&dir)).await;
        if size.is_ok_and(|size| size > most) {
            return;
        }
    }
}

fn weight(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(known) if known.is_dir() => weight(&entry.path()),
        Ok(known) => known.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of).sum()
}

impl Drop for Copy {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.dir).is_ok() {
            return;
        }
        // A git process that is being ended may still write.
        let (dir, alive) = (std::mem::take(&mut self.dir), self.runner.alive());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let _alive = alive;
            for _ in 0..20 {
                sleep(LOOK).await;
                let dir = dir.clone();
                let gone = spawn_blocking(move || fs::remove_dir_all(dir)).await;
                if gone.is_ok_and(|gone| gone.is_ok()) {
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_what_vendors_add() {
        assert_eq!(parsed("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(parsed("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(parsed("git version 2.50\n"), Some((2, 50)));
        assert_eq!(parsed("hub version 2"), None);
    }

    #[test]
    fn a_host_is_pinned_to_its_checked_addresses() {
        let remote = |host: &str| Remote {
            host: host.to_owned(),
            port: 443,
            path: "/r".to_owned(),
        };
        let all = ["1.2.3.4".parse().unwrap(), "2606::1".parse().unwrap()];
        assert_eq!(
            pinned(&remote("h.org"), &all),
            [(
                "http.curloptResolve",
                "h.org:443:1.2.3.4,[2606::1]".to_owned()
            )]
        );
        assert_eq!(pinned(&remote("[2606::1]"), &all), []);
        assert_eq!(pinned(&remote("1.2.3.4"), &all), []);
    }

    #[tokio::test(start_paused = true)]
    async fn a_repository_that_grows_is_noticed_wherever_it_grows() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("a/b/c"), "01234").unwrap();
        fs::write(dir.path().join("d"), "56789").unwrap();
        let hour = Duration::from_secs(3600);
        assert!(timeout(hour, outgrows(dir.path(), 9)).await.is_ok());
        let second = Duration::from_secs(1);
        assert!(timeout(second, outgrows(dir.path(), 10)).await.is_err());
    }

    #[test]
    fn git_errors_are_mapped_to_codes() {
        for (stderr, code) in [
            (
                "fatal: unable to access 'x': The requested URL returned error: 301\n",
                5,
            ),
            ("fatal: couldn't find remote ref nope\n", 3),
            ("fatal: repository 'https://h/r/' not found\n", 3),
            (
                "fatal: unable to access 'x': The requested URL returned error: 403\n",
                4,
            ),
            (
                "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
                4,
            ),
            ("fatal: unable to access 'x': Failed to connect\n", 5),
        ] {
            assert_eq!(refused(stderr).code(), code, "{stderr}");
        }
    }
}
