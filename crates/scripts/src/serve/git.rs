//! Files of git repositories: `git+https://host/repo.git?ref=main#path/in/it`, and `git:///folder` for
//! repositories of this machine.
//!
//! The program `git` reads them, with fixed settings and without a shell, hooks, credentials or a working copy.
//! The parts of an address pass [`address`] before they become arguments.

mod address;
mod command;
mod local;
mod remote;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;

use super::Folder;
use super::options::NotFetched;
use address::{Address, Location};
use command::{Git, NO_PROTOCOL};

/// Time limit of one step in a repository of this machine.
const LOCAL: Duration = Duration::from_secs(20);

/// The file of a git address, if it has at most `most` bytes.
pub async fn read(folder: &Arc<Folder>, uri: &str, most: usize) -> Result<Vec<u8>, NotFetched> {
    let address = Address::parse(uri)?;
    let runner = &folder.runner;
    let busy = |_| NotFetched::Failed("too many calls wait already: try again later".to_owned());
    let _permit = runner.permit("git", None).await.map_err(busy)?;
    match &address.place {
        Location::Remote(there) => {
            let hosts = folder.options.hosts.as_deref().ok_or_else(|| {
                NotFetched::Forbidden("repositories of other machines may not be read".to_owned())
            })?;
            remote::read(runner, hosts, there, &address, most).await
        }
        Location::Local(path) => {
            let mut roots = folder.options.roots.clone();
            roots.push(runner.root().to_owned());
            let (path, trusting) = (path.clone(), folder.options.accept_writable);
            let found = spawn_blocking(move || local::git_dir(&roots, &path, trusting)).await;
            let failed = |_| NotFetched::Failed("the repository cannot be examined".to_owned());
            let git = Git {
                runner,
                dir: found.map_err(failed)??,
                protocol: NO_PROTOCOL,
                settings: Vec::new(),
                time: LOCAL,
            };
            git.file(&address.revision, &address.path, most).await
        }
    }
}
