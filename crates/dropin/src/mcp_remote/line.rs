//! Words to values.

use std::path::Path;
use std::time::Duration;

use linkspan_auth::client::Grant;
use linkspan_ports::Transport;

use super::flags::FLAGS;
use super::{McpRemote, Oauth, values};
use crate::error::LineError;
use crate::flags::{Flag, unknown};
use crate::note::Note;
use crate::program::{Asked, Program};
use crate::surroundings::Surroundings;

/// The interval of `--keep-alive`.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

impl McpRemote {
    /// Parses the words after the program's name. `program` is in the errors.
    ///
    /// # Errors
    /// If a flag is unknown or lacks its value, or a value is refused by the original as well.
    pub fn parse(
        program: Program,
        words: impl IntoIterator<Item = String>,
        around: Surroundings<'_>,
    ) -> Result<Asked<Self>, LineError> {
        let words: Vec<String> = words.into_iter().collect();
        if words.iter().any(|word| word == "--help" || word == "-h") {
            return Ok(Asked::Help);
        }
        if words.iter().any(|word| word == "--version") {
            return Ok(Asked::Version);
        }
        let mut line = Self {
            url: String::new(),
            callback_port: None,
            headers: Vec::new(),
            allow_http: false,
            transport: Transport::Auto,
            hidden_tools: Vec::new(),
            ping: None,
            connect_timeout: None,
            headers_timeout: None,
            ipv4_only: false,
            cookies: true,
            debug: false,
            silent: false,
            oauth: Oauth::default(),
            notes: Vec::new(),
        };
        let mut positional = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                positional.push(word);
                continue;
            }
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
                return Err(unknown(program, name, FLAGS));
            };
            if flag.value.is_none() {
                line.switch(flag.name);
                continue;
            }
            let is_flag = |word: &String| FLAGS.iter().any(|flag| flag.name == *word);
            let value = attached.or_else(|| words.next_if(|next| !is_flag(next)));
            let flag = flag.name;
            let value = value.ok_or(LineError::NoValue { program, flag })?;
            line.set(flag, &value, around)?;
        }
        line.finish(positional, around)?;
        Ok(Asked::Run(line))
    }

    /// A flag without a value.
    fn switch(&mut self, flag: &'static str) {
        match flag {
            "--allow-http" => self.allow_http = true,
            "--debug" => self.debug = true,
            "--silent" => self.silent = true,
            "--ipv4" => self.ipv4_only = true,
            "--keep-alive" => self.ping = self.ping.or(Some(KEEP_ALIVE)),
            "--disable-cookies" => self.cookies = false,
            "--client-credentials" => self.oauth.grant = Grant::ClientCredentials,
            "--device-code" => self.oauth.grant = Grant::Device,
            "--use-id-token" => self.oauth.use_id_token = true,
            "--disable-resource-parameter" => self.oauth.send_resource = false,
            _ => self.no_effect(flag, by_name(flag)),
        }
    }

    /// A flag with its value.
    fn set(
        &mut self,
        flag: &'static str,
        value: &str,
        around: Surroundings<'_>,
    ) -> Result<(), LineError> {
        if let Some(taken) = self.oauth.take(flag, value, around, &mut self.notes) {
            return taken;
        }
        if flag == "--header-file" {
            return self.header_file(value, around);
        }
        if let Some(takes) = self.take(flag, value) {
            let flag = flag.to_owned();
            self.notes.push(Note::Ignored { flag, takes });
        }
        Ok(())
    }

    /// Takes a value; returns what it has to be if it cannot be used.
    fn take(&mut self, flag: &'static str, value: &str) -> Option<&'static str> {
        const ABOVE_0: &str = "a number of seconds above 0";
        match flag {
            "--header" => match values::header(value) {
                Some((name, value)) => self.header(name, value),
                None => return Some("`Name: value`"),
            },
            "--ignore-tool" => self.hidden_tools.push(value.to_owned()),
            "--transport" => match values::transport(value) {
                Some(transport) => {
                    self.transport = transport;
                    if value == "sse-first" {
                        let why = "linkspan tries HTTP first, and SSE if the server has only that";
                        self.no_effect("--transport sse-first", why);
                    }
                }
                None => return Some("http-first, sse-first, http-only or sse-only"),
            },
            "--protocol" if !["legacy", "auto"].contains(&value) => return Some("legacy or auto"),
            "--connect-timeout" => match values::some_seconds(value) {
                Some(limit) => self.connect_timeout = Some(limit),
                None => return Some(ABOVE_0),
            },
            "--headers-timeout" => match values::seconds(value) {
                Some(limit) => self.headers_timeout = Some(limit).filter(|it| !it.is_zero()),
                None => return Some("a number of seconds"),
            },
            "--ping-interval" => match values::some_seconds(value) {
                Some(every) => self.ping = Some(every),
                None => return Some(ABOVE_0),
            },
            _ => self.no_effect(flag, by_name(flag)),
        }
        None
    }

    /// Of several headers with one name, the last one counts.
    fn header(&mut self, name: String, value: String) {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
    }

    fn header_file(&mut self, file: &str, around: Surroundings<'_>) -> Result<(), LineError> {
        let text = (around.read)(Path::new(file)).map_err(|source| LineError::File {
            file: file.into(),
            source,
        })?;
        let (headers, bad) = values::header_file(&text);
        for (name, value) in headers {
            self.header(name, value);
        }
        for number in bad {
            let what = format!("line {number} of {file} is ignored: it is not `Name: value`");
            self.notes.push(Note::Remark(what));
        }
        Ok(())
    }

    fn no_effect(&mut self, flag: &str, why: &'static str) {
        let flag = flag.to_owned();
        self.notes.push(Note::NoEffect { flag, why });
    }

    fn finish(
        &mut self,
        positional: Vec<String>,
        around: Surroundings<'_>,
    ) -> Result<(), LineError> {
        let mut positional = positional.into_iter();
        self.url = positional.next().ok_or_else(|| LineError::Form {
            what: "the URL of the server is missing".to_owned(),
            hint: "for example linkspan mcp-remote https://mcp.example.com/mcp",
        })?;
        let number = |word: &String| u16::try_from(values::leading_number(word)?).ok();
        let mut positional = positional.peekable();
        self.callback_port = positional.peek().and_then(number).filter(|port| *port > 0);
        let unexpected = positional.skip(usize::from(self.callback_port.is_some()));
        self.notes.extend(Note::unexpected(unexpected.count()));
        self.oauth.finish(self.allow_http, &mut self.notes)?;
        let texts = self.headers.iter().map(|(_, value)| value.as_str());
        let named = texts.flat_map(linkspan_ports::variables_in);
        let missing = named.filter(|name| (around.variable)(name).is_none());
        let missing: Vec<Note> = missing.map(|name| Note::NotSet(name.to_owned())).collect();
        self.notes.extend(missing);
        Ok(())
    }
}

/// Why a flag has no effect: what its help says after the colon.
fn by_name(flag: &str) -> &'static str {
    let known: Option<&Flag> = FLAGS.iter().find(|known| known.name == flag);
    let help = known.map_or("", |flag| flag.help);
    help.strip_prefix("no effect: ").unwrap_or(help)
}

#[cfg(test)]
mod tests;
