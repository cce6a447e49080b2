//! `linkspan auth list`.

use linkspan_auth::Timestamp;
use linkspan_auth::store::{Status, Store};
use linkspan_auth_io::write_record;
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::show::{self, say};
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
    let now = Timestamp::now();
    show::print(|out| {
        let mut records = records.iter();
        records.try_for_each(|record| write_record(record, now, out))
    });
    if records.is_empty() {
        anstream::eprintln!("no sign-ins; `linkspan login URL` makes one");
    }
    Ok(Exit::Ok)
}
