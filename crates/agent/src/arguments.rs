//! Reads and checks the arguments of a tool call.

use linkspan_wire::{Json, JsonKind, quote};

use crate::error::ToolError;
use crate::running::RunningAgent;

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(pub(crate) Json<'a>);

impl Args<'_> {
    /// Refuses arguments that the tool does not have.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), ToolError> {
        let mut members = self.0.members();
        let other = members.find(|(key, _)| !known.contains(&&**key));
        match other {
            Some((name, _)) => Err(ToolError::UnknownArgument {
                name: name.into_owned(),
                known: known.iter().map(|&name| name.to_owned()).collect(),
            }),
            None => Ok(()),
        }
    }

    fn get(&self, key: &str) -> Option<Json<'_>> {
        let value = self.0.get(key);
        value.filter(|value| value.kind() != JsonKind::Null)
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<Option<String>, ToolError> {
        let value = self.get(key).map(|value| {
            let text = value.as_str().map(|text| text.into_owned());
            text.ok_or(ToolError::NotAString(key))
        });
        value.transpose()
    }

    pub(crate) fn needed(&self, key: &'static str) -> Result<String, ToolError> {
        let text = self.text(key)?;
        text.ok_or(ToolError::MissingArgument(key))
    }

    pub(crate) fn flag(&self, key: &'static str) -> Result<bool, ToolError> {
        let value = self.get(key).map(|value| {
            let flag = value.as_bool();
            flag.ok_or(ToolError::NotABoolean(key))
        });
        Ok(value.transpose()?.unwrap_or(false))
    }

    pub(crate) fn texts(&self, key: &'static str) -> Result<Option<Vec<String>>, ToolError> {
        let Some(list) = self.get(key) else {
            return Ok(None);
        };
        if list.kind() != JsonKind::Array {
            return Err(ToolError::NotStrings(key));
        }
        let texts = list
            .elements()
            .map(|text| Some(text.as_str()?.into_owned()));
        let texts: Option<Vec<String>> = texts.collect();
        texts.map(Some).ok_or(ToolError::NotStrings(key))
    }

    /// The prompt as a JSON array of content blocks, which have the same form in both protocols.
    pub(crate) fn content(&self, running: &RunningAgent) -> Result<String, ToolError> {
        let text = self.text("text")?;
        let blocks = self.get("content");
        let mut all = Vec::new();
        if let Some(text) = &text {
            all.push(format!(r#"{{"type":"text","text":{}}}"#, quote(text)));
        }
        if let Some(blocks) = blocks {
            if blocks.kind() != JsonKind::Array {
                return Err(ToolError::NotContent);
            }
            for block in blocks.elements() {
                let kind = block.get("type").and_then(Json::as_str);
                let can = match kind.as_deref() {
                    Some("text" | "resource_link") => true,
                    Some("image") => running.hello.image,
                    Some("audio") => running.hello.audio,
                    Some("resource") => running.hello.embedded,
                    _ => return Err(ToolError::ContentType),
                };
                if !can {
                    let kind = kind.unwrap_or_default().into_owned();
                    return Err(ToolError::ContentNotTaken(kind));
                }
                all.push(block.text().to_owned());
            }
        }
        if all.is_empty() {
            return Err(ToolError::NoContent);
        }
        Ok(format!("[{}]", all.join(",")))
    }
}
