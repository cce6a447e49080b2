//! A list of tools that arrives page by page, for a client that asked for it or for a call that needs it.

use linkspan_gateway::{ListKind, ListReader, ListTooLong, ServerList};
use linkspan_mcp::names;
use linkspan_wire::{Id, Json, Message, Object};

/// A larger page is not kept, in bytes.
const LARGEST_PAGE: usize = 32 << 20;

/// A list that is being read. All its pages are asked for under the id of one request of the client, which gets the
/// whole list as one page: what `auto` decides depends on all tools.
pub(crate) struct Pages {
    /// The client's request.
    pub(crate) request: Message,
    reader: ListReader,
    first: Option<Message>,
    count: usize,
    /// The cursor of the page that was asked for last.
    cursor: Option<String>,
    /// The state of the list when it was asked for; see [`Known`](crate::layer::Known).
    pub(crate) generation: u64,
}

impl Pages {
    pub(crate) fn new(request: Message, generation: u64) -> Self {
        Self {
            request,
            reader: ListReader::new(ListKind::Tools),
            first: None,
            count: 0,
            cursor: None,
            generation,
        }
    }

    /// The request for a page.
    pub(crate) fn ask(&self, id: &Id, cursor: Option<&str>) -> Message {
        let meta = self.request.params().and_then(|params| params.get("_meta"));
        let params = Object::empty()
            .with_some("_meta", meta.map(Json::text))
            .with_some("cursor", cursor);
        let text = params.text();
        let params = (!params.is_empty()).then_some(&*text);
        Message::request(id, names::TOOLS_LIST, params)
    }

    /// Adds a page; returns the cursor of the next one.
    pub(crate) fn add(&mut self, answer: &Message) -> Result<Option<String>, ListTooLong> {
        let Some(result) = answer.body() else {
            return Ok(None);
        };
        if answer.len() > LARGEST_PAGE {
            return Err(ListTooLong::Bytes);
        }
        let cursor = self.reader.page(result)?;
        self.count += 1;
        self.first.get_or_insert_with(|| answer.clone());
        if cursor.is_some() && cursor == self.cursor {
            // The server ignores cursors.
            return Ok(None);
        }
        self.cursor.clone_from(&cursor);
        Ok(cursor)
    }

    /// What was read, and the page that it becomes.
    pub(crate) fn finish(self) -> (ServerList, Joined) {
        let list = self.reader.finish();
        let joined = Joined {
            first: self.first,
            is_one: self.count <= 1,
            ttl: list.ttl,
            is_public: list.is_public,
        };
        (list, joined)
    }
}

/// The page that a list becomes.
pub(crate) struct Joined {
    first: Option<Message>,
    is_one: bool,
    ttl: u64,
    is_public: bool,
}

impl Joined {
    /// The first page with other tools. `None` if it is the only one, and its tools are the server's own.
    pub(crate) fn with(
        &self,
        tools: Option<Vec<String>>,
        own: &ServerTools<'_>,
    ) -> Option<Message> {
        let first = self.first.as_ref()?;
        let result = first.body()?;
        let tools = match tools {
            Some(tools) => tools.join(","),
            None if self.is_one => return None,
            None => own.join(","),
        };
        let mut object = Object::of(Some(result))
            .with("tools", &format!("[{tools}]"))
            .without(&["nextCursor"]);
        if result.get("ttlMs").is_some() {
            object = object.with("ttlMs", &self.ttl.to_string());
        }
        if result.get("cacheScope").is_some() && !self.is_public {
            object = object.with("cacheScope", r#""private""#);
        }
        Some(first.with_value(result, &object.text()))
    }
}

/// The server's tools as it spelled them.
pub(crate) type ServerTools<'a> = Vec<&'a str>;
