//! What is done to the configuration of a client, and what the user is told about it.

use linkspan_wire::escape_line;

use crate::connection::Connection;
use crate::place::Place;
use crate::plan::{Changed, Plan};
use crate::refused::ChangeError;
use crate::server::shown;

/// What is done to the configuration of a client.
#[derive(Debug, Clone, Copy)]
pub enum Action<'a> {
    /// A server is added.
    Put {
        /// Its name.
        name: &'a str,
        /// How the client connects to it.
        connection: &'a Connection,
        /// Whether another server of this name is replaced.
        force: bool,
    },
    /// A server is removed.
    Remove {
        /// Its name.
        name: &'a str,
        /// Whether it may be one that does not run linkspan.
        force: bool,
    },
    /// The file gets the contents of a copy: the one with this number, or the latest.
    Restore(Option<u64>),
}

impl Action<'_> {
    /// Changes the file, or with `dry_run` only finds the changes. The result is lines for the user.
    ///
    /// # Errors
    /// If the file cannot be read, edited or written; then it is not changed.
    pub fn perform(&self, place: &Place, dry_run: bool) -> Result<Vec<String>, ChangeError> {
        let plan = self.plan(place)?;
        let file = shown(place.file()?);
        if let (false, Self::Remove { name, .. }) = (plan.is_change(), self) {
            let name = escape_line(name);
            return Ok(vec![format!("{file} has no server `{name}`")]);
        }
        if dry_run && plan.is_change() {
            let changes = plan.diff().into_iter();
            let changes = changes.map(|line| escape_line(&line).into_owned());
            return Ok(std::iter::once(format!("{file}:")).chain(changes).collect());
        }
        let mut lines = match plan.apply()? {
            Changed::Not => return Ok(vec![format!("{file} is up to date")]),
            Changed::Changed(backup) => vec![format!("{file} (backup: {})", shown(&backup))],
            Changed::Created => vec![file],
        };
        if let Self::Put { connection, .. } = self {
            let secrets = connection.secrets();
            lines.extend(secrets.map(|secret| place.client.secret_hint(secret)));
            lines.push(place.client.afterwards().to_owned());
        }
        Ok(lines)
    }

    fn plan(&self, place: &Place) -> Result<Plan, ChangeError> {
        match *self {
            Self::Put {
                name,
                connection,
                force,
            } => Plan::put(place, name, connection, force),
            Self::Remove { name, force } => Plan::remove(place, name, force),
            Self::Restore(number) => Plan::restore(place, number),
        }
    }
}
