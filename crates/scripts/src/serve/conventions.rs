//! How a folder is read and how its clients are served: by linkspan's conventions, or by those of another
//! program, which a crate of its own provides.

use std::path::Path;
use std::sync::Arc;

use linkspan_session::Port;

use super::Folder;
use super::connection::Connection;
use crate::folder::{Catalogue, FolderError, ReadOptions};

/// The conventions that a folder follows.
pub trait Conventions: Send + Sync + 'static {
    /// Reads the folder; `before` is the catalogue of the last read. Nothing in the folder is executed.
    fn read(&self, root: &Path, before: Option<&Catalogue>) -> Result<Catalogue, FolderError>;

    /// The catalogue to offer after other users have gained write access to the folder; `None` keeps `before`.
    fn untrusted(&self, before: &Catalogue) -> Option<Catalogue>;

    /// Connects one client to the folder; see [`Folder::connect`].
    fn port(&self, folder: &Arc<Folder>, caller: CallerVariables) -> Port;
}

/// Environment variables that tell programs about the client that they work for; `None` removes one.
pub type CallerVariables = Vec<(&'static str, Option<String>)>;

/// linkspan's own conventions.
pub(super) struct Native(pub(super) ReadOptions);

impl Conventions for Native {
    fn read(&self, root: &Path, before: Option<&Catalogue>) -> Result<Catalogue, FolderError> {
        match before {
            None => Catalogue::read(root, &self.0),
            Some(before) => before.read_again(&self.0),
        }
    }

    fn untrusted(&self, before: &Catalogue) -> Option<Catalogue> {
        Some(before.emptied())
    }

    fn port(&self, folder: &Arc<Folder>, caller: CallerVariables) -> Port {
        folder.connect(Connection::new(folder.clone(), caller))
    }
}
