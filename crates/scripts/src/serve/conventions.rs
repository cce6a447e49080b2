//! How a folder is read and served: by linkspan's conventions, or by those of another program, implemented in
//! another crate.

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

/// Environment variables that describe the calling client to programs; `None` removes one.
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
