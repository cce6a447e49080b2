//! Pages of lists: page sizes and cursors.

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

/// The default page size.
const USUAL: usize = 50;
/// The maximum page size.
const MOST: usize = 200;

/// The page size for a client's `limit`.
pub fn limit(asked: Option<&Value>) -> usize {
    let asked = match asked {
        Some(Value::Number(n)) => n.as_u64(),
        Some(Value::String(text)) => super::vars::digits(text),
        _ => None,
    };
    match asked {
        None | Some(0) => USUAL,
        Some(n) => usize::try_from(n).unwrap_or(MOST).min(MOST),
    }
}

/// A cursor: an offset in one version of a list.
pub fn encode(collection: &str, offset: usize, hash: &str) -> String {
    let cursor = json!({
        "ver": 1,
        "collection": collection,
        "offset": offset,
        "hash": hash,
        "timestamp": format!("{:.0}", jiff::Timestamp::now()),
    });
    BASE64URL_NOPAD.encode(cursor.to_string().as_bytes())
}

/// The offset of a cursor, if it belongs to this version of the list.
pub fn decode(cursor: &str, collection: &str, hash: &str) -> Option<usize> {
    let cursor = json_of(cursor)?;
    let right = cursor.get("ver").and_then(Value::as_u64) == Some(1)
        && cursor.get("collection").and_then(Value::as_str) == Some(collection)
        && cursor.get("hash").and_then(Value::as_str) == Some(hash);
    let offset = cursor.get("offset")?.as_u64()?;
    right.then(|| usize::try_from(offset).ok())?
}

/// The JSON in a cursor.
pub(super) fn json_of(cursor: &str) -> Option<Value> {
    let text = cursor
        .trim_end_matches('=')
        .replace('+', "-")
        .replace('/', "_");
    serde_json::from_slice(&BASE64URL_NOPAD.decode(text.as_bytes()).ok()?).ok()
}

/// A list that is returned in pages.
#[derive(Debug)]
pub struct Pages {
    /// The name of the member in results.
    name: &'static str,
    /// Each entry as JSON.
    entries: Vec<String>,
    hash: String,
}

impl Pages {
    /// A list.
    pub fn new(name: &'static str, entries: impl IntoIterator<Item = Value>) -> Self {
        let entries: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
        Self {
            name,
            hash: hash(&entries),
            entries,
        }
    }

    /// A page as JSON; `Err` if the cursor belongs to another list.
    pub fn page(
        &self,
        asked: Option<&Value>,
        cursor: Option<&str>,
    ) -> Result<String, linkspan_wire::RpcError> {
        let (name, all) = (self.name, self.entries.len());
        let begin = match cursor.filter(|c| !c.is_empty()) {
            None => 0,
            Some(cursor) => decode(cursor, name, &self.hash)
                .ok_or_else(|| linkspan_wire::RpcError::invalid_params("Invalid cursor"))?,
        };
        let begin = begin.min(all);
        let end = (begin + limit(asked)).min(all);
        let entries = self.entries[begin..end].join(",");
        let mut page = format!(r#"{{"{name}":[{entries}],"_meta":{{"mcpbash/total":{all}}}"#);
        if end < all {
            let next = encode(name, end, &self.hash);
            page.push_str(&format!(r#","nextCursor":"{next}""#));
        }
        page.push('}');
        Ok(page)
    }
}

/// A short hash of a list.
pub fn hash(items: &[String]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for item in items {
        for byte in item.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_valid_for_its_list_only() {
        let list = |name, n| Pages::new(name, (0..n).map(|n| json!({"name": n})));
        let (tools, two) = (list("tools", 3), json!(2));
        let page = |list: &Pages, cursor| -> Result<Value, i64> {
            let page = list.page(Some(&two), cursor).map_err(|e| e.code())?;
            Ok(serde_json::from_str(&page).unwrap())
        };
        let first = page(&tools, None).unwrap();
        assert_eq!(first["tools"].as_array().unwrap().len(), 2);
        assert_eq!(first["_meta"]["mcpbash/total"], 3);
        let cursor = first["nextCursor"].as_str().unwrap();
        let second = page(&tools, Some(cursor)).unwrap();
        assert_eq!(second["tools"], json!([{"name": 2}]));
        assert_eq!(second.get("nextCursor"), None);
        assert_eq!(page(&list("prompts", 3), Some(cursor)), Err(-32602));
        assert_eq!(page(&list("tools", 2), Some(cursor)), Err(-32602));
        assert_eq!(page(&tools, Some("bogus")), Err(-32602));
        let said = json_of(cursor).unwrap();
        assert!(said["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn limits_are_numbers_within_reason() {
        assert_eq!(limit(None), 50);
        assert_eq!(limit(Some(&json!(0))), 50);
        assert_eq!(limit(Some(&json!("7"))), 7);
        assert_eq!(limit(Some(&json!("x"))), 50);
        assert_eq!(limit(Some(&json!(1000))), 200);
    }
}
