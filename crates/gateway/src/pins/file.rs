//! Pins as the text of a file: JSON with an item on each line, in an order that depends on names only.

use std::collections::BTreeMap;

use linkspan_wire::{Json, JsonKind, escape_json, quote};

use super::Pins;
use super::error::PinsError;
use super::item::{ItemId, ItemKind};
use super::server::{Pin, ServerPins};
use crate::canonical::canonical;
use crate::digest::Digest;

const VERSION_MEMBER: &str = "linkspanPins";
const VERSION: i64 = 1;

type Result<T> = std::result::Result<T, PinsError>;
/// Items that are offered, and items that are not any more.
type Offered = BTreeMap<ItemId, Option<Pin>>;

impl Pins {
    /// The text of a file.
    pub fn to_json(&self) -> String {
        let servers = self.servers.iter().map(|(name, pins)| {
            let accepted = |id: &ItemId| pins.accepted.get(id).map(pin_text);
            let offered = |id: &ItemId| {
                let offer = pins.offered.get(id)?;
                Some(offer.as_ref().map_or_else(|| "null".to_owned(), pin_text))
            };
            let known = |kind| pins.known.contains(&kind);
            let differs = |kind| pins.offered.keys().any(|id| id.kind == kind);
            let parts = [
                ("accepted", part(pins.accepted.keys(), known, accepted)),
                ("offered", part(pins.offered.keys(), differs, offered)),
            ];
            (&**name, block(parts.into_iter(), 2))
        });
        let servers = block(servers, 1);
        let text = block(
            [(VERSION_MEMBER, VERSION.to_string()), ("servers", servers)].into_iter(),
            0,
        );
        escape_json(&text).into_owned() + "\n"
    }

    /// Reads the text of a file. Unknown members are ignored.
    pub fn from_json(text: &str) -> Result<Self> {
        let json = Json::parse(text)?;
        let version = json.get(VERSION_MEMBER).and_then(Json::as_i64);
        match version.ok_or(PinsError::NotPins)? {
            VERSION => {}
            version if version > VERSION => return Err(PinsError::Newer(version)),
            _ => return Err(PinsError::NotPins),
        }
        let servers = json.get("servers").into_iter().flat_map(Json::members);
        let servers = servers.map(|(name, json)| Ok((name.as_ref().into(), server(&name, json)?)));
        Ok(Self {
            servers: servers.collect::<Result<_>>()?,
        })
    }
}

/// The items of a server, by kind.
fn part<'a>(
    ids: impl Iterator<Item = &'a ItemId> + Clone,
    has: impl Fn(ItemKind) -> bool,
    text: impl Fn(&ItemId) -> Option<String>,
) -> String {
    let kinds = ItemKind::ALL.into_iter().filter(|kind| has(*kind));
    let members = kinds.map(|kind| {
        let value = if kind == ItemKind::Instructions {
            text(&ItemId::instructions()).unwrap_or_else(|| "null".to_owned())
        } else {
            let ids = ids.clone().filter(|id| id.kind == kind);
            block(ids.filter_map(|id| Some((&*id.name, text(id)?))), 4)
        };
        (kind.member(), value)
    });
    block(members, 3)
}

/// An object with a member on each line.
fn block<'a>(members: impl Iterator<Item = (&'a str, String)>, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let lines = members.map(|(key, value)| format!("\n{indent}  {}: {value}", quote(key)));
    let lines = lines.collect::<Vec<_>>().join(",");
    if lines.is_empty() {
        return "{}".to_owned();
    }
    format!("{{{lines}\n{indent}}}")
}

fn pin_text(pin: &Pin) -> String {
    match &pin.definition {
        Some(definition) => format!(r#"{{"digest":"{}","definition":{definition}}}"#, pin.digest),
        None => format!(r#"{{"digest":"{}"}}"#, pin.digest),
    }
}

fn server(name: &str, json: Json<'_>) -> Result<ServerPins> {
    let mut pins = ServerPins::default();
    let (accepted, known) = items(name, json.get("accepted"))?;
    pins.known.extend(known);
    let accepted = accepted.into_iter();
    pins.accepted = accepted.filter_map(|(id, pin)| Some((id, pin?))).collect();
    (pins.offered, _) = items(name, json.get("offered"))?;
    // A kind without accepted items is at its first use, and a difference needs two sides.
    let is_difference = |id: &ItemId, pin: &Option<Pin>| {
        let accepted = pins.accepted.get(id).map(|pin| pin.digest);
        pins.known.contains(&id.kind) && accepted != pin.as_ref().map(|pin| pin.digest)
    };
    pins.offered.retain(|id, pin| is_difference(id, pin));
    Ok(pins)
}

/// The items of a part, and the kinds that it has.
fn items(server: &str, part: Option<Json<'_>>) -> Result<(Offered, Vec<ItemKind>)> {
    let (mut items, mut kinds) = (BTreeMap::new(), Vec::new());
    for kind in ItemKind::ALL {
        let Some(json) = part.and_then(|part| part.get(kind.member())) else {
            continue;
        };
        kinds.push(kind);
        if kind == ItemKind::Instructions {
            let id = ItemId::instructions();
            let pin = pin(server, &id, json)?;
            items.insert(id, pin);
            continue;
        }
        for (name, json) in json.members() {
            let id = ItemId::new(kind, &name);
            let pin = pin(server, &id, json)?;
            items.insert(id, pin);
        }
    }
    Ok((items, kinds))
}

fn pin(server: &str, id: &ItemId, json: Json<'_>) -> Result<Option<Pin>> {
    if json.kind() == JsonKind::Null {
        return Ok(None);
    }
    let names = || (server.to_owned(), id.to_string());
    let digest = json.get("digest").and_then(Json::as_str);
    let Some(digest) = digest.and_then(|text| Digest::from_hex(&text)) else {
        let (server, item) = names();
        return Err(PinsError::NoDigest { server, item });
    };
    let definition = json.get("definition").map(canonical);
    if definition
        .as_deref()
        .is_some_and(|text| Digest::of(text) != digest)
    {
        let (server, item) = names();
        return Err(PinsError::OtherDigest { server, item });
    }
    let definition = definition.map(String::into_boxed_str);
    Ok(Some(Pin { digest, definition }))
}
