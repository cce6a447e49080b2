//! What a user asks for: a server, and how clients reach it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use linkspan_bridge::{Target, TargetError};
use linkspan_ports::{HttpOptions, absolute_unix_target, check_variable, variables_named_by};

use crate::connection::{Connection, Variable};
use crate::program::Program;
use crate::server::Server;
use crate::server_error::ServerError;

/// What a user asks for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// A folder or a URL.
    pub target: Option<&'a str>,
    /// A command that is a server, or a command line of linkspan.
    pub command: &'a [String],
    /// Headers for the URL.
    pub headers: &'a [String],
    /// The variable with the bearer token for the URL.
    pub bearer_env: Option<&'a str>,
    /// Whether the URL may be `http://` on another machine.
    pub insecure_http: bool,
    /// The flags by which requests to the URL are signed.
    pub signature: Vec<String>,
    /// The URL where the server runs already.
    pub http: Option<&'a str>,
    /// How clients start linkspan.
    pub program: Program,
    /// The value of `PATH`.
    pub search_path: OsString,
    /// Whether the clients are on Windows.
    pub is_windows: bool,
}

impl Request<'_> {
    /// The server.
    ///
    /// # Errors
    /// If the words name none, or the flags do not fit it.
    pub fn server(&self) -> Result<Server, ServerError> {
        let server = match (self.target, self.command) {
            (Some(target), [_, ..]) => return Err(TargetError::Two(target.to_owned()).into()),
            (None, [program, words @ ..]) if is_linkspan(program) && !words.is_empty() => {
                Server::Own(words.to_vec())
            }
            (None, words @ [_, ..]) => Server::Command(words.to_vec()),
            (Some(url), []) if Target::is_url(url) => {
                self.check_url(url)?;
                return Ok(Server::Url {
                    url: absolute_unix_target(url),
                    options: self.options(),
                });
            }
            (dir, []) => {
                let dir = dir.unwrap_or(".");
                if !Path::new(dir).is_dir()
                    && let Some(error) = TargetError::something_else(dir, &self.search_path)
                {
                    return Err(error.into());
                }
                Server::Folder(dir.into())
            }
        };
        match self.options().is_empty() {
            true => Ok(server),
            false => Err(ServerError::FlagsForUrl),
        }
    }

    /// How clients reach the server; `env` are variables that they set for it.
    ///
    /// # Errors
    /// If the server is not there, or a secret would be in the configuration.
    pub fn connection(
        &self,
        server: &Server,
        mut env: Vec<Variable>,
    ) -> Result<Connection, ServerError> {
        let line = |words| self.program.command_line(words, self.is_windows);
        if let Some(url) = self.http {
            if !(url.starts_with("http://") || url.starts_with("https://")) {
                return Err(ServerError::NotHttp(url.to_owned()));
            }
            return Ok(Connection::Url {
                url: url.to_owned(),
                bridge: line(vec!["connect".to_owned(), url.to_owned()]),
            });
        }
        let words = server.arguments()?;
        let own = words.iter().take_while(|word| *word != "--");
        let secrets = variables_named_by(own.map(Into::into)).into_iter();
        let secrets: BTreeSet<String> =
            secrets.filter_map(|name| name.into_string().ok()).collect();
        env.extend(secrets.into_iter().map(Variable::Secret));
        let mut line = line(words);
        Ok(Connection::Command {
            program: line.remove(0),
            args: line,
            env,
        })
    }

    /// The flags for a URL.
    fn options(&self) -> Vec<String> {
        let headers = self.headers.iter().map(|header| ("-H", header.as_str()));
        let bearer = self.bearer_env.iter().map(|name| ("--bearer-env", *name));
        let pairs = headers.chain(bearer);
        let words = pairs.flat_map(|(flag, value)| [flag.to_owned(), value.to_owned()]);
        let insecure = self.insecure_http.then(|| "--insecure-http".to_owned());
        let signature = self.signature.iter().cloned();
        words.chain(signature).chain(insecure).collect()
    }

    /// Checks that the flags fit the URL.
    fn check_url(&self, url: &str) -> Result<(), ServerError> {
        let mut options = HttpOptions::new(url, self.insecure_http)?;
        for header in self.headers {
            // The values of its variables are not known here.
            options.header_line(header, &|name| Some(format!("${{{name}}}")))?;
        }
        if let Some(variable) = self.bearer_env {
            check_variable("--bearer-env", variable)?;
        }
        Ok(())
    }
}

fn is_linkspan(program: &str) -> bool {
    let stem = Path::new(program).file_stem();
    stem.is_some_and(|stem| stem == "linkspan")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(target: Option<&'a str>, command: &'a [String]) -> Request<'a> {
        Request {
            target,
            command,
            headers: &[],
            bearer_env: None,
            insecure_http: false,
            signature: Vec::new(),
            http: None,
            program: Program::Path("linkspan".to_owned()),
            search_path: OsString::new(),
            is_windows: false,
        }
    }

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn variables_of_headers_and_tokens_are_in_the_environment() {
        let headers = ["X-Id:${API_KEY}${B}".to_owned()];
        let request = Request {
            headers: &headers,
            bearer_env: Some("TOKEN"),
            ..request(Some("https://x/mcp"), &[])
        };
        let server = request.server().unwrap();
        let connection = request.connection(&server, Vec::new()).unwrap();
        let names: Vec<&str> = connection.secrets().collect();
        assert_eq!(names, ["API_KEY", "B", "TOKEN"]);
        let own = words("linkspan connect --bearer-env A --bearer-env=B -- x --key-env C ${D}");
        let request = self::request(None, &own);
        let server = request.server().unwrap();
        let connection = request.connection(&server, Vec::new()).unwrap();
        assert_eq!(connection.secrets().collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn one_server_with_its_own_flags_is_taken() {
        let npx = words("npx -y x");
        let server = request(None, &npx).server().unwrap();
        assert_eq!(server, Server::Command(npx.clone()));
        let server = request(None, &[]).server().unwrap();
        assert_eq!(server, Server::Folder(".".into()));
        let two = request(Some("https://x/mcp"), &npx).server();
        assert!(matches!(two, Err(ServerError::Target(TargetError::Two(_)))));
        let program = request(Some("npx"), &[]).server();
        assert!(matches!(
            program,
            Err(ServerError::Target(TargetError::Program(_)))
        ));
        let flags = Request {
            insecure_http: true,
            ..request(None, &npx)
        };
        assert!(matches!(flags.server(), Err(ServerError::FlagsForUrl)));
        let plain = request(Some("http://x.example.com/mcp"), &[]).server();
        assert!(matches!(
            plain,
            Err(ServerError::Options(
                linkspan_ports::OptionsError::PlainHttp(_)
            ))
        ));
    }
}
