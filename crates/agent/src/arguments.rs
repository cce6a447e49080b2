//! The arguments of a call, which a model may get wrong.

use linkspan_wire::{Json, JsonKind, quote};

use crate::running::{Running, Trouble};

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(pub(crate) Json<'a>);

impl Args<'_> {
    /// Whoever gives something else means something by it.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Trouble> {
        let mut members = self.0.members();
        let other = members.find(|(key, _)| !known.contains(&&**key));
        match other {
            Some((key, _)) => Err(format!(
                "there is no argument `{key}`; there are: {}",
                known.join(", ")
            )),
            None => Ok(()),
        }
    }

    fn get(&self, key: &str) -> Option<Json<'_>> {
        let value = self.0.get(key);
        value.filter(|value| value.kind() != JsonKind::Null)
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, Trouble> {
        let value = self.get(key).map(|value| {
            let text = value.as_str().map(|text| text.into_owned());
            text.ok_or_else(|| format!("`{key}` must be a string"))
        });
        value.transpose()
    }

    pub(crate) fn needed(&self, key: &str) -> Result<String, Trouble> {
        let text = self.text(key)?;
        text.ok_or_else(|| format!("`{key}` is missing"))
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, Trouble> {
        let value = self.get(key).map(|value| {
            let flag = value.as_bool();
            flag.ok_or_else(|| format!("`{key}` must be true or false"))
        });
        Ok(value.transpose()?.unwrap_or(false))
    }

    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Trouble> {
        let wrong = || format!("`{key}` must be a list of strings");
        let Some(list) = self.get(key) else {
            return Ok(None);
        };
        if list.kind() != JsonKind::Array {
            return Err(wrong());
        }
        let texts = list
            .elements()
            .map(|text| Some(text.as_str()?.into_owned()));
        let texts: Option<Vec<String>> = texts.collect();
        texts.map(Some).ok_or_else(wrong)
    }

    /// What the agent is prompted with, as content blocks. Both protocols spell them alike.
    pub(crate) fn content(&self, running: &Running) -> Result<String, Trouble> {
        let text = self.text("text")?;
        let blocks = self.get("content");
        let mut all = Vec::new();
        if let Some(text) = &text {
            all.push(format!(r#"{{"type":"text","text":{}}}"#, quote(text)));
        }
        if let Some(blocks) = blocks {
            if blocks.kind() != JsonKind::Array {
                return Err("`content` must be a list of content blocks".to_owned());
            }
            for block in blocks.elements() {
                let kind = block.get("type").and_then(Json::as_str);
                let can = match kind.as_deref() {
                    Some("text" | "resource_link") => true,
                    Some("image") => running.hello.image,
                    Some("audio") => running.hello.audio,
                    Some("resource") => running.hello.embedded,
                    _ => {
                        return Err("a block of `content` must have the type text, image, audio, resource_link or resource".to_owned());
                    }
                };
                if !can {
                    let kind = kind.unwrap_or_default();
                    return Err(format!("this agent takes no content of the type {kind}"));
                }
                all.push(block.text().to_owned());
            }
        }
        match all.is_empty() {
            true => Err("nothing to prompt with: give `text` or `content`".to_owned()),
            false => Ok(format!("[{}]", all.join(","))),
        }
    }
}
