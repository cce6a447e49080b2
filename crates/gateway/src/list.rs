//! The lists of one server: tools, prompts, resources and templates.

use linkspan_mcp::names;
use linkspan_wire::{Json, JsonKind};

/// Items of one list that are kept.
const MOST_ITEMS: usize = 20_000;
/// Bytes of one list that are kept.
const MOST_BYTES: usize = 32 << 20;
/// Pages of one list that are read.
const MOST_PAGES: usize = 1000;

/// What a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are MCP's own")]
pub enum ListKind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl ListKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The list that a request asks for.
    pub fn of_method(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.method() == method)
    }

    /// The request for it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => names::TOOLS_LIST,
            Self::Prompts => names::PROMPTS_LIST,
            Self::Resources => names::RESOURCES_LIST,
            Self::Templates => names::TEMPLATES_LIST,
        }
    }

    /// The member of the result that has the items.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The member of an item that names it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }

    /// The capability of a server that has this list.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
        }
    }

    /// The notification that it has changed.
    pub fn changed(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources | Self::Templates => "notifications/resources/list_changed",
        }
    }

    /// Its position in [`ListKind::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// An item as its server listed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The server's own name for it, or its URI.
    pub own: Box<str>,
    /// Its JSON text.
    pub text: Box<str>,
}

/// A list of one server, in the server's order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerList {
    /// The items. No two have the same name.
    pub items: Vec<Item>,
    /// For how many milliseconds the server promises that the list stays the same.
    pub ttl: u64,
    /// Whether the list is the same for every principal.
    pub is_public: bool,
}

/// Why a list is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListTooLong {
    /// Too many items.
    #[error("it has more than {MOST_ITEMS} items")]
    Items,
    /// Too many bytes.
    #[error("it has more than {} MiB", MOST_BYTES >> 20)]
    Bytes,
    /// Too many pages.
    #[error("it has more than {MOST_PAGES} pages")]
    Pages,
}

/// Reads the pages of a list.
#[derive(Debug)]
pub struct ListReader {
    kind: ListKind,
    list: ServerList,
    known: std::collections::HashSet<Box<str>>,
    bytes: usize,
    pages: usize,
}

impl ListReader {
    /// For a list of this kind.
    pub fn new(kind: ListKind) -> Self {
        Self {
            kind,
            list: ServerList {
                ttl: u64::MAX,
                is_public: true,
                ..ServerList::default()
            },
            known: std::collections::HashSet::new(),
            bytes: 0,
            pages: 0,
        }
    }

    /// Adds a page; returns the cursor of the next one as its server spelled it.
    pub fn page(&mut self, result: Json<'_>) -> Result<Option<String>, ListTooLong> {
        self.pages += 1;
        let ttl = result.get("ttlMs").and_then(Json::as_i64);
        let ttl = ttl.and_then(|ttl| u64::try_from(ttl).ok()).unwrap_or(0);
        self.list.ttl = self.list.ttl.min(ttl);
        let scope = result.get("cacheScope").and_then(Json::as_str);
        self.list.is_public &= scope.as_deref() == Some("public");
        let items = result.get(self.kind.member());
        for item in items.into_iter().flat_map(Json::elements) {
            self.item(item)?;
        }
        let cursor = result.get("nextCursor");
        let cursor = cursor.filter(|cursor| cursor.kind() == JsonKind::String);
        if cursor.is_some() && self.pages == MOST_PAGES {
            return Err(ListTooLong::Pages);
        }
        Ok(cursor.map(|cursor| cursor.text().to_owned()))
    }

    fn item(&mut self, item: Json<'_>) -> Result<(), ListTooLong> {
        let Some(own) = item.get(self.kind.key()).and_then(Json::as_str) else {
            tracing::debug!("an item of {} without a name", self.kind.method());
            return Ok(());
        };
        self.bytes += item.text().len();
        if self.bytes > MOST_BYTES {
            return Err(ListTooLong::Bytes);
        }
        if self.list.items.len() == MOST_ITEMS {
            return Err(ListTooLong::Items);
        }
        if self.known.insert(own.as_ref().into()) {
            self.list.items.push(Item {
                own: own.into(),
                text: item.text().into(),
            });
        }
        Ok(())
    }

    /// What was read.
    pub fn finish(self) -> ServerList {
        self.list
    }
}

impl ServerList {
    /// As the result of one page, for a file.
    pub fn to_json(&self, kind: ListKind) -> String {
        let items: Vec<&str> = self.items.iter().map(|item| &*item.text).collect();
        format!(
            r#"{{"{}":[{}],"ttlMs":{},"cacheScope":"{}"}}"#,
            kind.member(),
            items.join(","),
            self.ttl.min(i64::MAX as u64),
            scope(self.is_public)
        )
    }
}

/// The value of `cacheScope`.
pub(crate) fn scope(is_public: bool) -> &'static str {
    if is_public { "public" } else { "private" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pages: &[&str]) -> ServerList {
        let mut reader = ListReader::new(ListKind::Tools);
        for page in pages {
            reader.page(Json::parse(page).unwrap()).unwrap();
        }
        reader.finish()
    }

    #[test]
    fn items_keep_their_text_and_order() {
        let list = read(&[
            r#"{"tools":[{ "name" : "b","x":1.0}],"nextCursor":"c","ttlMs":9,"cacheScope":"public"}"#,
            r#"{"tools":[{"name":"a"},{"name":"b"},{"title":"no name"},7],"ttlMs":5,"cacheScope":"public"}"#,
        ]);
        let items: Vec<_> = list.items.iter().map(|i| (&*i.own, &*i.text)).collect();
        assert_eq!(
            items,
            [
                ("b", r#"{ "name" : "b","x":1.0}"#),
                ("a", r#"{"name":"a"}"#)
            ]
        );
        assert_eq!((list.ttl, list.is_public), (5, true));
        assert_eq!(read(&[&list.to_json(ListKind::Tools)]), list);
    }

    #[test]
    fn a_cursor_is_returned_as_it_was_spelled() {
        let mut reader = ListReader::new(ListKind::Tools);
        let page = Json::parse(r#"{"tools":[],"nextCursor":"\u0041"}"#).unwrap();
        assert_eq!(reader.page(page), Ok(Some(r#""\u0041""#.to_owned())));
    }

    #[test]
    fn endless_pages_end() {
        let mut reader = ListReader::new(ListKind::Tools);
        let page = Json::parse(r#"{"tools":[],"nextCursor":"c"}"#).unwrap();
        let pages = std::iter::repeat_with(|| reader.page(page));
        let ended = pages.take(MOST_PAGES + 1).find_map(Result::err);
        assert_eq!(ended, Some(ListTooLong::Pages));
    }
}
