//! Puts a value into the text of a configuration, or removes it. All other bytes stay as they are.

use serde_json::Value;

use crate::format::{Format, SyntaxError, line_break};
use crate::slot::Slot;
use crate::{jsonc, toml, yaml};

/// Why a text cannot be edited.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It does not have its format.
    #[error("{0}")]
    Syntax(#[from] SyntaxError),
    /// A part that has to be an object is not.
    #[error("{0} is not an object")]
    NoObject(String),
    /// A part that has to be a list is not.
    #[error("{0} is not a list")]
    NoList(String),
    /// A member occurs more than once.
    #[error("`{0}` is there more than once")]
    Duplicate(String),
    /// The edited text does not have the intended value.
    #[error("the text cannot be edited")]
    Unsafe,
}

/// The text with `value` in the place; `None` if it has the value already.
///
/// # Errors
/// If the text does not have its format, or has another structure.
pub fn put(
    format: Format,
    text: &str,
    slot: Slot<'_>,
    value: &Value,
) -> Result<Option<String>, EditError> {
    let before = format.read(text)?;
    let wanted = slot.put(&before, value)?;
    if wanted == before {
        return Ok(None);
    }
    let body = text.trim_start_matches('\u{feff}');
    if body.trim().is_empty() {
        let mark = &text[..text.len() - body.len()];
        let whole = format.write(&slot.alone(value));
        return Ok(Some(
            mark.to_owned() + &whole.replace('\n', line_break(body)),
        ));
    }
    let edited = match format {
        Format::Json => jsonc::put(text, slot, value)?,
        Format::Yaml => yaml::put(text, slot, value)?,
        Format::Toml => toml::put(text, slot, value)?,
    };
    // The file belongs to the user: an edit with an unintended result is never written.
    match format.read(&edited) {
        Ok(after) if after == wanted => Ok(Some(edited)),
        _ => Err(EditError::Unsafe),
    }
}

/// The text without a value in the place; `None` if it has none.
///
/// # Errors
/// If the text does not have its format, or has another structure.
pub fn remove(format: Format, text: &str, slot: Slot<'_>) -> Result<Option<String>, EditError> {
    let before = format.read(text)?;
    if slot.find(&before).is_none() {
        return Ok(None);
    }
    let wanted = slot.without(&before)?;
    let edited = match format {
        Format::Json => jsonc::remove(text, slot)?,
        Format::Yaml => yaml::remove(text, slot)?,
        Format::Toml => toml::remove(text, slot)?,
    };
    match format.read(&edited) {
        Ok(after) if slot.tidy(after.clone()) == wanted => Ok(Some(edited)),
        _ => Err(EditError::Unsafe),
    }
}
