//! Server-sent events, read plainly: none of these peers splits `data` over lines.

use std::io::{BufRead, BufReader, Read};

pub struct Event {
    pub name: String,
    pub data: String,
}

/// The events of a body, until it ends; those without data are omitted.
pub fn events(body: impl Read) -> impl Iterator<Item = Event> {
    let mut lines = BufReader::new(body).lines().map_while(Result::ok);
    let mut name = "message".to_owned();
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            if let Some(value) = line.strip_prefix("event:") {
                name = value.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data:") {
                let data = data.strip_prefix(' ').unwrap_or(data).to_owned();
                let name = std::mem::replace(&mut name, "message".to_owned());
                if !data.is_empty() {
                    return Some(Event { name, data });
                }
            }
        }
    })
}
