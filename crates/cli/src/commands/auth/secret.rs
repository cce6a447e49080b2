//! `linkspan auth secret`.

use std::io::{Read, read_to_string, stdin};

use clap::Subcommand;
use linkspan_auth::Secret;
use linkspan_auth::store::Store;

use crate::exit::{Exit, Failure};
use crate::show::{on_one_line, say};
use crate::sign_in::{no_state, store_options};

/// Bytes of a secret.
const LONGEST: u64 = 64 * 1024;

#[derive(Debug, Subcommand)]
pub(super) enum SecretCommand {
    /// Read a secret from stdin and keep it under a name
    Set {
        /// Its name
        name: String,
    },
    /// List the names of all secrets
    List,
    /// Remove a secret
    Remove {
        /// Its name
        name: String,
    },
}

pub(super) fn run(command: &SecretCommand) -> Result<Exit, Failure> {
    let store = Store::open(store_options().ok_or_else(no_state)?)?;
    match command {
        SecretCommand::Set { name } => {
            let text = read_to_string(stdin().take(LONGEST)).unwrap_or_default();
            let text = text.trim_end_matches(['\r', '\n']);
            if text.is_empty() {
                return Err(Failure::usage("there is no secret on stdin")
                    .hint(format!("linkspan auth secret set {name} < FILE")));
            }
            store.save_secret(name, Secret::new(text))?;
        }
        SecretCommand::List => {
            let names = store.secret_names()?;
            names.iter().for_each(|name| say!("{}", on_one_line(name)));
        }
        SecretCommand::Remove { name } => {
            if !store.remove_secret(name)? {
                return Err(Failure::usage(format!("there is no secret `{name}`"))
                    .hint("`linkspan auth secret list` lists them"));
            }
        }
    }
    Ok(Exit::Ok)
}
