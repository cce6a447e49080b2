//! What is in the store, and the rules for changing it. No files here.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::credential::{CredentialKey, ServerName};
use super::error::StoreError;
use super::record::{Record, Registration, Status};
use super::storm::Attempts;
use crate::{Secret, Timestamp};

type Result<T> = std::result::Result<T, StoreError>;

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Content {
    #[serde(default)]
    records: BTreeMap<CredentialKey, Record>,
    /// By issuer.
    #[serde(default)]
    registrations: BTreeMap<String, Registration>,
    /// For a process that knows neither issuer nor client yet: server, profile, the key that was used last.
    #[serde(default)]
    servers: BTreeMap<ServerName, BTreeMap<String, CredentialKey>>,
    #[serde(default)]
    attempts: BTreeMap<CredentialKey, Attempts>,
    /// What configurations refer to, by name.
    #[serde(default)]
    secrets: BTreeMap<String, Secret>,
}

impl Content {
    pub(super) fn record(&self, key: &CredentialKey) -> Option<&Record> {
        self.records.get(key)
    }

    pub(super) fn into_record(mut self, key: &CredentialKey) -> Option<Record> {
        self.records.remove(key)
    }

    pub(super) fn into_records(self) -> Vec<(CredentialKey, Record)> {
        self.records.into_iter().collect()
    }

    /// Replaces a record if it is the one that the caller has read. If there is none, the store has been removed
    /// since, and nothing can be lost.
    pub(super) fn write(
        &mut self,
        key: &CredentialKey,
        expected: u64,
        record: Record,
    ) -> Result<u64> {
        let current = self.records.get(key);
        if let Some(current) = current.filter(|current| current.generation != expected) {
            let current = Box::new(current.clone());
            return Err(StoreError::Conflict { current });
        }
        Ok(self.put(key, expected, record))
    }

    /// Writes the outcome of a sign-in and lets [`Self::find`] find it. Its generation is larger than `floor`, than
    /// that of the record it replaces, and than that of the record that was found for the server before: a process
    /// that has seen an older credential of the server recognises the new one, whatever its key is.
    pub(super) fn keep(
        &mut self,
        server: &Url,
        profile: &str,
        key: &CredentialKey,
        floor: u64,
        record: Record,
    ) -> u64 {
        let found = self.find(server, profile);
        let replaced = [found.as_ref(), Some(key)].into_iter().flatten();
        let newest = replaced.filter_map(|key| Some(self.records.get(key)?.generation));
        let before = newest.fold(floor, u64::max);
        self.remember(server, profile, key);
        self.put(key, before, record)
    }

    fn put(&mut self, key: &CredentialKey, before: u64, mut record: Record) -> u64 {
        let current = self.records.get(key);
        let now = record.written;
        let has_new_tokens = record.tokens.is_some()
            && current.is_none_or(|current| current.tokens != record.tokens);
        self.attempts.retain(|_, attempts| !attempts.is_over(now));
        if has_new_tokens {
            self.attempts.entry(*key).or_default().count_write(now);
        }
        record.generation = before.saturating_add(1);
        let generation = record.generation;
        self.records.insert(*key, record);
        generation
    }

    /// Changes the status of a record that the caller has read. A record that is signed out keeps no tokens.
    pub(super) fn mark(
        &mut self,
        key: &CredentialKey,
        expected: u64,
        status: Status,
        now: Timestamp,
    ) -> Result<u64> {
        let mut record = self.records.get(key).ok_or(StoreError::NoRecord)?.clone();
        record.status = status;
        record.written = now;
        if status == Status::SignedOut {
            record.tokens = None;
            record.dpop_key = None;
        }
        self.write(key, expected, record)
    }

    pub(super) fn find(&self, server: &Url, profile: &str) -> Option<CredentialKey> {
        let profiles = self.servers.get(&ServerName::of(server))?;
        profiles.get(profile).copied()
    }

    /// The credentials that were used for a server, one for each profile.
    pub(super) fn keys_of(&self, server: &Url) -> Vec<CredentialKey> {
        let profiles = self.servers.get(&ServerName::of(server));
        profiles
            .into_iter()
            .flat_map(BTreeMap::values)
            .copied()
            .collect()
    }

    fn remember(&mut self, server: &Url, profile: &str, key: &CredentialKey) {
        let profiles = self.servers.entry(ServerName::of(server)).or_default();
        profiles.insert(profile.to_owned(), *key);
    }

    pub(super) fn registration(&self, issuer: &str) -> Option<&Registration> {
        self.registrations.get(issuer)
    }

    pub(super) fn save_registration(&mut self, issuer: &str, registration: Registration) {
        self.registrations.insert(issuer.to_owned(), registration);
    }

    /// Forgets the client that we are at an issuer, unless it has been replaced meanwhile.
    pub(super) fn forget_registration(&mut self, issuer: &str, client_id: &str) {
        let registration = self.registrations.get(issuer);
        if registration.is_some_and(|it| it.client_id == client_id) {
            self.registrations.remove(issuer);
        }
    }

    pub(super) fn secret(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }

    pub(super) fn secret_names(&self) -> impl Iterator<Item = &str> {
        self.secrets.keys().map(String::as_str)
    }

    pub(super) fn save_secret(&mut self, name: &str, secret: Secret) {
        self.secrets.insert(name.to_owned(), secret);
    }

    pub(super) fn remove_secret(&mut self, name: &str) -> bool {
        self.secrets.remove(name).is_some()
    }

    pub(super) fn check_storm(&self, key: &CredentialKey, now: Timestamp) -> Result<()> {
        let attempts = self.attempts.get(key);
        Ok(attempts.map_or(Ok(()), |attempts| attempts.check(now))?)
    }

    pub(super) fn begin_login(&mut self, key: &CredentialKey, now: Timestamp) -> Result<()> {
        Ok(self.attempts.entry(*key).or_default().begin_login(now)?)
    }

    pub(super) fn fail_login(&mut self, key: &CredentialKey, now: Timestamp) {
        self.attempts.entry(*key).or_default().fail_login(now);
    }

    pub(super) fn end_login(&mut self, key: &CredentialKey) {
        if let Some(attempts) = self.attempts.get_mut(key) {
            attempts.end_login();
        }
    }

    pub(super) fn login_pause(&self, key: &CredentialKey, now: Timestamp) -> Option<Duration> {
        self.attempts.get(key)?.pause(now)
    }

    pub(super) fn has_login_failed(&self, key: &CredentialKey, since: Timestamp) -> bool {
        let attempts = self.attempts.get(key);
        attempts.is_some_and(|attempts| attempts.has_failed(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;

    const NOW: Timestamp = Timestamp(1_800_000_000);

    #[test]
    fn a_writer_that_has_read_an_older_generation_gets_the_newer_record() {
        let mut content = Content::default();
        let key = sample::key("a");
        let first = content.write(&key, 0, sample::record("one")).unwrap();
        let second = content.write(&key, first, sample::record("two")).unwrap();
        assert_eq!((first, second), (1, 2));
        let late = content.write(&key, first, sample::record("three"));
        let Err(StoreError::Conflict { current }) = late else {
            panic!("{late:?}");
        };
        assert_eq!(current.generation, 2);
        assert_eq!(sample::token(&current), "two");
        assert_eq!(sample::token(content.record(&key).unwrap()), "two");
    }

    #[test]
    fn a_sign_in_is_newer_than_everything_that_a_process_may_have_seen() {
        let server = Url::parse("https://h/mcp").unwrap();
        let mut content = Content::default();
        let (old, new) = (sample::key("a"), sample::key("b"));
        let mut keep = |key, floor| content.keep(&server, "", key, floor, sample::record("t"));
        assert_eq!(keep(&old, 0), 1);
        assert_eq!(keep(&old, 6), 7, "a process had seen 6 of another key");
        assert_eq!(
            keep(&new, 0),
            8,
            "another key, such as that of a new client"
        );
        assert_eq!(keep(&old, 0), 9);
        assert_eq!(content.find(&server, ""), Some(old));
        assert_eq!(content.keys_of(&server), [old]);
    }

    #[test]
    fn a_registration_that_was_replaced_is_not_forgotten() {
        let mut content = Content::default();
        let registration = sample::record("t").client;
        content.save_registration("i", registration.clone());
        content.forget_registration("i", "another");
        assert_eq!(content.registration("i"), Some(&registration));
        content.forget_registration("i", &registration.client_id);
        assert_eq!(content.registration("i"), None);
    }

    #[test]
    fn signing_out_removes_the_tokens_and_keeps_the_record() {
        let mut content = Content::default();
        let key = sample::key("a");
        content.write(&key, 0, sample::record("one")).unwrap();
        assert_eq!(content.mark(&key, 1, Status::SignedOut, NOW).unwrap(), 2);
        let record = content.record(&key).unwrap();
        assert_eq!(record.status, Status::SignedOut);
        assert_eq!((&record.tokens, &record.dpop_key), (&None, &None));
        // A refresh that was under way does not bring the account back.
        let late = content.write(&key, 1, sample::record("refreshed"));
        assert!(matches!(late, Err(StoreError::Conflict { .. })));
    }

    #[test]
    fn a_credential_that_needs_a_login_keeps_its_tokens() {
        let mut content = Content::default();
        let key = sample::key("a");
        content.write(&key, 0, sample::record("one")).unwrap();
        content.mark(&key, 1, Status::NeedsLogin, NOW).unwrap();
        assert_eq!(sample::token(content.record(&key).unwrap()), "one");
        let missing = content.mark(&sample::key("b"), 1, Status::NeedsLogin, NOW);
        assert!(matches!(missing, Err(StoreError::NoRecord)));
    }

    #[test]
    fn a_storm_of_tokens_is_noticed_and_still_written() {
        let mut content = Content::default();
        let key = sample::key("a");
        for turn in 0..25 {
            content
                .write(&key, turn, sample::record(&format!("token {turn}")))
                .unwrap();
        }
        let now = sample::record("").written;
        assert!(matches!(
            content.check_storm(&key, now),
            Err(StoreError::Storm(_))
        ));
        content.check_storm(&sample::key("b"), now).unwrap();
    }

    #[test]
    fn writes_without_new_tokens_are_no_storm() {
        let mut content = Content::default();
        let key = sample::key("a");
        for turn in 0..25 {
            content.write(&key, turn, sample::record("same")).unwrap();
        }
        let now = sample::record("").written;
        content.check_storm(&key, now).unwrap();
    }
}
