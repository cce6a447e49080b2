//! The other end of a worker: a process that gets one order on stdin and carries it out.

use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::Secret;
use linkspan_auth::client::ClientOptions;
use linkspan_auth::store::{KeySource, StoreOptions};
use linkspan_ports::{HttpOptions, OptionsError};
use serde::{Deserialize, Serialize};

use crate::http::HttpTransport;
use crate::perform::{Person, perform};
use crate::settings::{Order, Settings};
use crate::worker::{Event, LONGEST};

/// An order, with all settings that it needs. It holds secrets, so it goes through a pipe.
#[derive(Serialize, Deserialize)]
pub(crate) struct Assignment {
    order: Order,
    client: ClientOptions,
    assertion_file: Option<PathBuf>,
    folder: PathBuf,
    key: Key,
    has_browser: bool,
    callback_port: Option<u16>,
    timeout: Duration,
    connect_timeout: Duration,
    ipv4_only: bool,
    /// In PEM form.
    ca: Option<String>,
    /// From where the server answered.
    address: Option<IpAddr>,
}

#[derive(Serialize, Deserialize)]
enum Key {
    Given(Secret),
    Keyring,
    File,
    Auto,
}

impl Assignment {
    pub(crate) fn new(order: &Order, settings: &Settings) -> Self {
        Self {
            order: order.clone(),
            client: (*settings.client).clone(),
            assertion_file: settings.assertion_file.clone(),
            folder: settings.store.folder.clone(),
            key: match &settings.store.key {
                KeySource::Given(key) => Key::Given(key.clone()),
                KeySource::Keyring => Key::Keyring,
                KeySource::File => Key::File,
                KeySource::Auto => Key::Auto,
            },
            has_browser: settings.has_browser,
            callback_port: settings.callback_port,
            timeout: settings.timeout,
            connect_timeout: settings.http.connect_timeout,
            ipv4_only: settings.http.ipv4_only,
            // Outside of its certificates, which are ASCII, a file may have comments in any encoding.
            ca: (settings.http.ca.as_deref()).map(|pem| String::from_utf8_lossy(pem).into_owned()),
            address: settings.http.answered_from(),
        }
    }

    fn settings(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings, OptionsError> {
        let mut http = HttpOptions::new(&self.order.server, self.client.insecure_http)?;
        http.proxy_from(variable);
        http.connect_timeout = self.connect_timeout;
        http.ipv4_only = self.ipv4_only;
        http.ca = self.ca.map(String::into_bytes);
        if let Some(address) = self.address {
            http.set_answered_from(address);
        }
        Ok(Settings {
            http,
            client: Arc::new(self.client),
            assertion_file: self.assertion_file,
            store: StoreOptions {
                folder: self.folder,
                key: match self.key {
                    Key::Given(key) => KeySource::Given(key),
                    Key::Keyring => KeySource::Keyring,
                    Key::File => KeySource::File,
                    Key::Auto => KeySource::Auto,
                },
            },
            has_browser: self.has_browser,
            callback_port: self.callback_port,
            timeout: self.timeout,
        })
    }
}

/// Carries out the order of `input` and writes to `output` what happens. The process that gave the order may have ended:
/// then there is no reader, and that is no reason to stop. `variable` reads the environment, for proxies.
pub async fn work(
    input: impl Read,
    output: impl Write + Send,
    variable: &dyn Fn(&str) -> Option<String>,
) -> io::Result<()> {
    let mut text = Vec::new();
    input.take(LONGEST).read_to_end(&mut text)?;
    let assignment: Assignment = serde_json::from_slice(&text)?;
    let order = assignment.order.clone();
    let settings = assignment.settings(variable).map_err(io::Error::other)?;
    let transport =
        HttpTransport::new(settings.http.clone()).naming(settings.client.named_endpoint());
    let output = parking_lot::Mutex::new(output);
    let tell = |event: &Event| {
        let line = serde_json::to_string(event).unwrap_or_default() + "\n";
        let mut output = output.lock();
        let _ = output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush());
    };
    let person = Person {
        show: &|prompt| tell(&Event::Prompt(prompt.clone())),
        opens: None,
        pasted: None,
    };
    match perform(&settings, &order, &transport, person).await {
        Ok(_) => tell(&Event::Done),
        Err(error) => tell(&Event::Failed((&error).into())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_auth::Timestamp;

    use crate::settings::Task;

    #[test]
    fn a_large_file_of_certificates_arrives_whole() {
        let line = "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJ\n";
        let pem = line.repeat(219 * 1024 / line.len());
        let server = "https://server.example/mcp";
        let mut http = HttpOptions::new(server, false).unwrap();
        http.ca = Some(pem.clone().into_bytes());
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            http,
            client: Arc::default(),
            assertion_file: None,
            store: StoreOptions {
                folder: folder.path().to_owned(),
                key: KeySource::File,
            },
            has_browser: false,
            callback_port: None,
            timeout: Duration::from_secs(1),
        };
        let order = Order {
            server: server.to_owned(),
            generation: None,
            since: Timestamp::now(),
            is_wanted: false,
            task: Task::Refresh,
        };
        let sent = serde_json::to_vec(&Assignment::new(&order, &settings)).unwrap();
        assert!((sent.len() as u64) < LONGEST, "{} bytes", sent.len());
        let read: Assignment = serde_json::from_slice(&sent).unwrap();
        let settings = read.settings(&|_| None).unwrap();
        assert_eq!(settings.http.ca.unwrap(), pem.into_bytes());
    }
}
