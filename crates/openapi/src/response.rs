//! Makes results of tools of responses.

use bytes::Bytes;
use data_encoding::BASE64;
use linkspan_mcp::tool_texts;
use linkspan_wire::{Json, one_line, quote};

use crate::content;
use crate::operation::Operation;
use crate::output;

/// The most bytes of an error's body that a result has.
const LONGEST_ERROR: usize = 64 << 10;

/// A response of the server.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: http::StatusCode,
    /// The headers.
    pub headers: http::HeaderMap,
    /// The body, which the caller has bounded.
    pub body: Bytes,
}

impl Operation {
    /// The result of a call, as JSON.
    pub fn result(&self, response: &Response) -> String {
        let media = response.header("content-type").unwrap_or_default();
        let essence = content::essence(media);
        if !response.status.is_success() {
            return response.failure(&essence);
        }
        let text = str::from_utf8(&response.body).ok();
        let json = text.and_then(|text| Json::parse(text).ok());
        if let Some(is_wrapped) = self.output {
            let structured = json.and_then(|json| output::structured(json, is_wrapped));
            let Some(structured) = structured else {
                let why = "the response is not what the document declares; this is its content:";
                return tool_texts(&[why, &response.text()], true);
            };
            let structured = one_line(structured.into());
            let structured = str::from_utf8(&structured).unwrap_or("{}");
            let text = text.unwrap_or_default().trim();
            return format!(
                r#"{{"content":[{{"type":"text","text":{}}}],"structuredContent":{structured},"isError":false}}"#,
                quote(text)
            );
        }
        if self.method == http::Method::HEAD || response.body.is_empty() {
            return tool_texts(&[&response.head()], false);
        }
        let is_text =
            essence.is_empty() || content::is_text(&essence) || content::is_json(&essence);
        match text {
            Some(text) if is_text => tool_texts(&[text.trim_end()], false),
            None if content::is_text(&essence) => tool_texts(&[&response.text()], false),
            _ => self.media(&essence, &response.body),
        }
    }

    /// An image, a sound, or a file.
    fn media(&self, essence: &str, body: &[u8]) -> String {
        let essence = match content::is_valid(essence) {
            true => essence,
            false => "application/octet-stream",
        };
        let (data, media) = (BASE64.encode(body), quote(essence));
        let item = match essence.split('/').next() {
            Some(kind @ ("image" | "audio")) => {
                format!(r#"{{"type":"{kind}","data":"{data}","mimeType":{media}}}"#)
            }
            _ => format!(
                r#"{{"type":"resource","resource":{{"uri":{},"mimeType":{media},"blob":"{data}"}}}}"#,
                quote(&format!("openapi:{}", self.name))
            ),
        };
        format!(r#"{{"content":[{item}],"isError":false}}"#)
    }
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The status, and what a response without a body says in its headers.
    fn head(&self) -> String {
        let mut text = self.line();
        for (name, value) in self.headers.iter().take(64) {
            let is_told = !matches!(
                name.as_str(),
                "set-cookie" | "date" | "connection" | "keep-alive" | "transfer-encoding"
            );
            if let (true, Ok(value)) = (is_told, value.to_str()) {
                text += &format!("\n{name}: {value}");
            }
        }
        text
    }

    fn line(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        let line = format!("HTTP {} {reason}", self.status.as_u16());
        line.trim_end().to_owned()
    }

    /// The body as text, with replacements for what is not UTF-8.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).trim_end().to_owned()
    }

    fn failure(&self, essence: &str) -> String {
        let mut line = self.line();
        for name in ["location", "retry-after", "www-authenticate"] {
            if let Some(value) = self.header(name) {
                line += &format!("\n{name}: {value}");
            }
        }
        let body = &self.body[..self.body.len().min(LONGEST_ERROR)];
        let body = String::from_utf8_lossy(body);
        let body = body.trim();
        let is_binary = ["image/", "audio/", "video/", "font/"];
        if body.is_empty() || is_binary.iter().any(|kind| essence.starts_with(kind)) {
            return tool_texts(&[&line], true);
        }
        tool_texts(&[&line, body], true)
    }
}
