//! Lists in pages.

use std::collections::HashSet;

use linkspan_wire::{Json, Message, quote};

use crate::client::{Client, one_param};
use crate::error::ClientError;

/// Pages that are read of one list.
const MAX_PAGES: usize = 1000;

/// Whether two pages have the same items.
fn same_items(one: &Message, other: &Message, key: &str) -> bool {
    let items = |page: &Message| Some(page.body()?.get(key)?.text().to_owned());
    items(one) == items(other)
}

/// All pages of a list.
pub struct List {
    key: &'static str,
    pages: Vec<Message>,
}

impl List {
    /// Fetches `method`, whose results contain the items under `key`.
    pub async fn fetch(
        client: &mut Client,
        method: &str,
        key: &'static str,
    ) -> Result<Self, ClientError> {
        let mut pages = vec![client.ask(method, None).await?];
        let mut seen = HashSet::new();
        loop {
            let cursor = pages
                .last()
                .and_then(Message::body)
                .and_then(|b| b.get("nextCursor"));
            let Some(cursor) = cursor.and_then(Json::as_str).map(|c| c.into_owned()) else {
                break;
            };
            let stop = match &*cursor {
                "" => Some("an empty `nextCursor`".to_owned()),
                _ if !seen.insert(cursor.clone()) => {
                    Some(format!("the `nextCursor` {} again", quote(&cursor)))
                }
                _ if pages.len() == MAX_PAGES => Some(format!("more than {MAX_PAGES} pages")),
                _ => None,
            };
            if let Some(stop) = stop {
                // A server that ignores cursors sends its first page again.
                let repeated = pages.split_last().is_some_and(|(last, before)| {
                    before.iter().any(|page| same_items(page, last, key))
                });
                if repeated {
                    pages.pop();
                }
                client.warn(&format!(
                    "the server answers `{method}` with {stop}; the list may not be complete"
                ));
                break;
            }
            let params = one_param("cursor", &cursor);
            pages.push(client.ask(method, Some(&params)).await?);
        }
        Ok(Self { key, pages })
    }

    /// The items of all pages.
    pub fn items(&self) -> impl Iterator<Item = Json<'_>> {
        self.pages
            .iter()
            .filter_map(|page| page.body()?.get(self.key))
            .flat_map(Json::elements)
    }

    /// The member with the items.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// One page as the server sent it; several pages or lists as one object.
    pub fn join(lists: &[Self]) -> String {
        if let [Self { pages, .. }] = lists
            && let [page] = &pages[..]
        {
            return page.body().map_or("null", |b| b.text()).to_owned();
        }
        let members: Vec<String> = lists
            .iter()
            .map(|list| {
                let items: Vec<&str> = list.items().map(Json::text).collect();
                format!(r#""{}":[{}]"#, list.key, items.join(","))
            })
            .collect();
        format!("{{{}}}", members.join(","))
    }
}
