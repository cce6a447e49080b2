//! The configurations that a command is about.

use std::fs;
use std::path::{Path, PathBuf};

use crate::clients::{Client, Scope};
use crate::refused::ChangeError;
use crate::system::{Location, System};

/// The configuration of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The client.
    pub client: Client,
    /// Where the configuration applies.
    pub scope: Scope,
    /// Its file.
    pub location: Location,
    /// The folder that symbolic links must not lead out of: a project can be the work of others.
    pub(crate) project: Option<PathBuf>,
}

/// The configurations that a user asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// These clients; without one, those that are found.
    pub clients: &'a [Client],
    /// The clients that are found, and not all if none is.
    pub found_only: bool,
    /// Where the configuration applies, if not at the usual place.
    pub scope: Option<Scope>,
    /// The file, if not the usual one.
    pub file: Option<&'a Path>,
}

impl Wanted<'_> {
    /// The configurations on a system.
    ///
    /// # Errors
    /// If there is none, or one file is wanted for several clients.
    pub fn places(&self, system: &System) -> Result<Vec<Place>, ChangeError> {
        if self.file.is_some() && self.clients.len() > 1 {
            return Err(ChangeError::OneFile);
        }
        if !self.clients.is_empty() {
            let clients = self.clients.iter();
            return clients
                .map(|client| {
                    let place = self.place(*client, system);
                    place.ok_or(ChangeError::NoProjectFile(client.title()))
                })
                .collect();
        }
        let is_found = |client: &Client| client.is_found(self.scope_of(*client), system);
        let all = |clients: Vec<Client>| -> Vec<Place> {
            let clients = clients.into_iter();
            clients
                .filter_map(|client| self.place(client, system))
                .collect()
        };
        let found = all(Client::ALL.into_iter().filter(is_found).collect());
        match (found.is_empty(), self.found_only) {
            (false, _) => Ok(found),
            (true, true) => Err(ChangeError::NoClient),
            (true, false) => Ok(all(Client::ALL.into())),
        }
    }

    fn scope_of(&self, client: Client) -> Scope {
        self.scope.unwrap_or(client.usual_scope())
    }

    fn place(&self, client: Client, system: &System) -> Option<Place> {
        let scope = self.scope_of(client);
        let (location, project) = match self.file {
            Some(file) => (Location::File(file.to_owned()), None),
            None => (
                client.location(scope, system)?,
                (scope == Scope::Project).then(|| ".".into()),
            ),
        };
        Some(Place {
            client,
            scope,
            location,
            project,
        })
    }
}

impl Place {
    /// The file.
    ///
    /// # Errors
    /// If its location is unknown.
    pub fn file(&self) -> Result<&Path, ChangeError> {
        let file = self.location.path();
        file.ok_or(ChangeError::NoFile(self.client.title()))
    }

    /// The file that symbolic links lead to; they stay links.
    pub(crate) fn real(&self) -> Result<PathBuf, ChangeError> {
        let file = self.file()?;
        if let Some(project) = &self.project {
            // A missing file is in the first folder above it that is there.
            let mut above = file.ancestors().map(|path| project.join(path));
            let real = above.find_map(|path| fs::canonicalize(path).ok());
            let real = real.unwrap_or_default();
            if !fs::canonicalize(project).is_ok_and(|project| real.starts_with(project)) {
                let file = file.to_owned();
                return Err(ChangeError::LeavesProject { file, real });
            }
        }
        match fs::canonicalize(file) {
            Ok(real) => Ok(real),
            Err(_) if fs::symlink_metadata(file).is_ok_and(|about| about.is_symlink()) => {
                Err(ChangeError::DanglingLink(file.to_owned()))
            }
            Err(_) => Ok(file.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_named_or_found_on_the_system() {
        let home = tempfile::tempdir().unwrap();
        let system = System {
            home: Some(home.path().to_owned()),
            ..System::default()
        };
        let all = Wanted::default();
        assert_eq!(all.places(&system).unwrap().len(), Client::ALL.len());
        let found = Wanted {
            found_only: true,
            ..all
        };
        assert!(matches!(found.places(&system), Err(ChangeError::NoClient)));
        std::fs::create_dir(home.path().join(".cursor")).unwrap();
        let places = found.places(&system).unwrap();
        assert_eq!(places.len(), 1);
        assert_eq!(
            (places[0].client, places[0].scope),
            (Client::Cursor, Scope::User)
        );
        assert_eq!(all.places(&system).unwrap(), places);
    }

    #[test]
    fn a_file_and_a_project_are_for_clients_that_have_them() {
        let system = System::default();
        let wanted = Wanted {
            clients: &[Client::Goose, Client::Zed],
            ..Wanted::default()
        };
        let file = Wanted {
            file: Some(Path::new("x")),
            ..wanted
        };
        assert!(matches!(file.places(&system), Err(ChangeError::OneFile)));
        let project = Wanted {
            scope: Some(Scope::Project),
            ..wanted
        };
        let error = project.places(&system).unwrap_err();
        assert!(matches!(error, ChangeError::NoProjectFile("Goose")));
        let places = wanted.places(&system).unwrap();
        assert!(matches!(places[1].file(), Err(ChangeError::NoFile("Zed"))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_to_a_file_that_is_there_and_not_out_of_a_project() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let project = root.join("project");
        fs::create_dir(&project).unwrap();
        fs::write(root.join("mine.json"), "{}").unwrap();
        symlink(root.join("mine.json"), project.join("link.json")).unwrap();
        symlink(root.join("none.json"), project.join("dangling.json")).unwrap();
        symlink(&root, project.join("out")).unwrap();
        let place = |file: &str, inside: bool| Place {
            client: Client::Cursor,
            scope: Scope::Project,
            location: Location::File(project.join(file)),
            project: inside.then(|| project.clone()),
        };
        let real = |file: &str, inside: bool| place(file, inside).real();
        assert_eq!(real("link.json", false).unwrap(), root.join("mine.json"));
        let error = real("dangling.json", false).unwrap_err();
        assert!(matches!(error, ChangeError::DanglingLink(_)));
        for file in ["link.json", "out/new.json", "out/new/new.json"] {
            let error = real(file, true).unwrap_err();
            assert!(matches!(error, ChangeError::LeavesProject { .. }), "{file}");
        }
        let new = project.join(".cursor/mcp.json");
        assert_eq!(real(".cursor/mcp.json", true).unwrap(), new);
    }
}
