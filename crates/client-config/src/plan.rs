//! A change of a configuration file: what it will be, then making it.

use std::io;
use std::path::PathBuf;

use serde_json::Value;

use crate::backup::{back_up, backups, replace};
use crate::clients::Client;
use crate::connection::Connection;
use crate::diff::diff;
use crate::edit::{EditError, put, remove};
use crate::entry::{is_ours, keep};
use crate::file;
use crate::format::Format;
use crate::place::Place;
use crate::refused::ChangeError;

/// A change of a configuration file.
#[derive(Debug)]
pub struct Plan {
    /// The file as the user names it.
    file: PathBuf,
    /// The file that a symbolic link points to.
    real: PathBuf,
    before: Option<String>,
    after: String,
}

/// The result of a change.
#[derive(Debug, PartialEq, Eq)]
pub enum Changed {
    /// The file had these contents already.
    Not,
    /// The file was created.
    Created,
    /// The file was changed; this is a copy of its previous contents.
    Changed(PathBuf),
}

impl Plan {
    /// Puts a server into a file. An entry of that name for another server is only replaced by `force`.
    ///
    /// # Errors
    /// If the file cannot be read or edited, or has another entry of that name.
    pub fn put(
        place: &Place,
        name: &str,
        connection: &Connection,
        force: bool,
    ) -> Result<Self, ChangeError> {
        let mut plan = Self::unchanged(place)?;
        let (client, format) = (place.client, place.client.format());
        let slot = client.slot(name);
        let mut entry = client.entry(name, connection);
        let root = plan.read(format)?;
        if let Some(existing) = slot.find(&root) {
            let is_ours = is_ours(client, existing);
            if is_ours {
                keep(client, &mut entry, existing);
            }
            if *existing != entry && !force {
                return Err(ChangeError::Taken {
                    file: plan.file,
                    name: name.to_owned(),
                    is_ours,
                });
            }
        }
        plan.edit(format, |text| {
            put(format, &client.with_start(text), slot, &entry)
        })?;
        for (slot, question) in client.inputs(connection) {
            if slot.find(&root).is_none() {
                plan.edit(format, |text| put(format, text, slot, &question))?;
            }
        }
        Ok(plan)
    }

    /// Removes a server from a file. If nothing but its entry was added since a copy was made, the file gets the bytes
    /// of the copy. An entry that does not start linkspan is only removed by `force`.
    ///
    /// # Errors
    /// If the file cannot be read or edited, or the entry is another one.
    pub fn remove(place: &Place, name: &str, force: bool) -> Result<Self, ChangeError> {
        let mut plan = Self::unchanged(place)?;
        let (client, format) = (place.client, place.client.format());
        let slot = client.slot(name);
        let root = plan.read(format)?;
        let Some(existing) = slot.find(&root) else {
            return Ok(plan);
        };
        if !is_ours(client, existing) && !force {
            return Err(ChangeError::Foreign {
                file: plan.file,
                name: name.to_owned(),
            });
        }
        let current = plan.after.clone();
        plan.edit(format, |text| remove(format, text, slot))?;
        let entry = existing.clone();
        let mut copies = backups(&plan.real).into_iter();
        let origin = copies.find_map(|backup| {
            let copy = file::text(&backup.file).ok()??;
            if slot.find(&format.read(&copy).ok()?).is_some() {
                return None;
            }
            let again = put(format, &client.with_start(&copy), slot, &entry).ok()??;
            let again = with_questions(client, &root, &entry, again);
            (again == current).then_some(copy)
        });
        plan.after = origin.unwrap_or(plan.after);
        Ok(plan)
    }

    /// Gives a file the contents of a copy: the one with this number, or the latest.
    ///
    /// # Errors
    /// If there is no such copy, or a file cannot be read.
    pub fn restore(place: &Place, number: Option<u64>) -> Result<Self, ChangeError> {
        let mut plan = Self::unchanged(place)?;
        let mut copies = backups(&plan.real).into_iter();
        let copy = copies.find(|copy| number.is_none_or(|number| copy.number == number));
        let Some(copy) = copy else {
            let file = plan.file;
            return Err(ChangeError::NoBackup { file, number });
        };
        let read = |source| ChangeError::Read {
            file: copy.file.clone(),
            source,
        };
        let text = file::text(&copy.file).map_err(read)?;
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        plan.after = text.ok_or_else(|| read(gone().into()))?;
        Ok(plan)
    }

    fn unchanged(place: &Place) -> Result<Self, ChangeError> {
        let file = place.file()?;
        let real = place.real()?;
        let before = file::text(&real).map_err(|source| ChangeError::Read {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            real,
            after: before.clone().unwrap_or_default(),
            before,
        })
    }

    fn read(&self, format: Format) -> Result<Value, ChangeError> {
        let read = format.read(&self.after);
        read.map_err(|error| self.not_edited(format, error.into()))
    }

    fn edit(
        &mut self,
        format: Format,
        edit: impl FnOnce(&str) -> Result<Option<String>, EditError>,
    ) -> Result<(), ChangeError> {
        let after = edit(&self.after).map_err(|source| self.not_edited(format, source))?;
        self.after = after.unwrap_or_else(|| std::mem::take(&mut self.after));
        Ok(())
    }

    fn not_edited(&self, format: Format, source: EditError) -> ChangeError {
        ChangeError::Edit {
            file: self.file.clone(),
            format,
            source,
        }
    }

    /// Whether the file would be changed.
    pub fn is_change(&self) -> bool {
        self.before.as_deref().unwrap_or_default() != self.after
    }

    /// The lines that would be changed, marked by `-` and `+`.
    pub fn diff(&self) -> Vec<String> {
        diff(self.before.as_deref().unwrap_or_default(), &self.after)
    }

    /// Makes the change: keeps a copy of the file beside it, and replaces the file.
    ///
    /// # Errors
    /// If the file has been changed since it was read, or cannot be written; then it is not changed.
    pub fn apply(self) -> Result<Changed, ChangeError> {
        if !self.is_change() {
            return Ok(Changed::Not);
        }
        if file::text(&self.real).ok() != Some(self.before.clone()) {
            return Err(ChangeError::Meanwhile(self.file));
        }
        let cannot_write = |source| ChangeError::Write {
            file: self.file.clone(),
            source,
        };
        let copy = self.before.as_ref().map(|text| back_up(&self.real, text));
        let copy = copy.transpose().map_err(cannot_write)?;
        replace(&self.real, &self.after).map_err(cannot_write)?;
        Ok(copy.map_or(Changed::Created, Changed::Changed))
    }
}

/// The text with the questions of a configuration for the secrets of an entry.
fn with_questions(client: Client, root: &Value, entry: &Value, text: String) -> String {
    let questions = root.get("inputs").and_then(Value::as_array);
    let env = entry.get("env").and_then(Value::as_object);
    let mut text = text;
    for value in env.into_iter().flat_map(serde_json::Map::values) {
        let id = value
            .as_str()
            .and_then(|text| text.strip_prefix("${input:"));
        let Some(id) = id.and_then(|id| id.strip_suffix('}')) else {
            continue;
        };
        let mut slot = client.slot(id);
        (slot.key, slot.named_by) = ("inputs", Some("id"));
        let mut all = questions.into_iter().flatten();
        if let Some(question) = all.find(|one| one.get("id").is_some_and(|one| one == id))
            && let Ok(Some(more)) = put(client.format(), &text, slot, question)
        {
            text = more;
        }
    }
    text
}

#[cfg(test)]
mod tests;
