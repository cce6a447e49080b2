//! `linkspan auth list`.

use linkspan_auth::Timestamp;
use linkspan_auth::store::{Status, Store};
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::show::{on_one_line, say};
use crate::sign_in::{no_state, store_options};

pub(super) fn run(as_json: bool) -> Result<Exit, Failure> {
    let store = Store::open(store_options().ok_or_else(no_state)?)?;
    let records = store.list()?.into_iter().map(|(_, record)| record);
    let records: Vec<_> = records
        .filter(|record| record.status != Status::SignedOut)
        .collect();
    if as_json {
        let all: Vec<Value> = records.iter().map(|it| it.to_public_json()).collect();
        say!("{}", Value::from(all));
        return Ok(Exit::Ok);
    }
    for record in &records {
        say!("{}", on_one_line(&record.shown_server()));
        say!("  issuer  {}", on_one_line(&record.issuer));
        say!("  client  {}", on_one_line(&record.client.client_id));
        say!("  state   {}", record.state(Timestamp::now()));
        if let Some(scope) = record.tokens.as_ref().and_then(|it| it.scope.as_deref()) {
            say!("  scope   {}", on_one_line(scope));
        }
    }
    if records.is_empty() {
        anstream::eprintln!("no sign-ins; `linkspan login URL` makes one");
    }
    Ok(Exit::Ok)
}
