//! Icons in files become part of what is listed, because no client can read our files.

use std::fs;
use std::path::Path;

use data_encoding::BASE64;
use serde_json::Value;

/// What an icon may weigh.
const LARGEST: u64 = 1 << 20;

/// The icons of an entry whose metadata is in `folder`. Those that are nowhere to be found are left out.
pub fn embed(icons: Option<&Value>, folder: &Path) -> Option<Value> {
    let icons: Vec<Value> = icons?
        .as_array()?
        .iter()
        .filter_map(|icon| {
            let src = icon.get("src")?.as_str()?;
            let mut icon = icon.clone();
            if !["data:", "http://", "https://"]
                .iter()
                .any(|known| src.starts_with(known))
            {
                let path = folder.join(src.strip_prefix("file://").unwrap_or(src));
                icon["src"] = Value::String(data(&path)?);
            }
            Some(icon)
        })
        .collect();
    (!icons.is_empty()).then_some(Value::Array(icons))
}

fn data(path: &Path) -> Option<String> {
    if path.metadata().ok()?.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let kind = match path
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("ico") => "image/x-icon",
        _ => "application/octet-stream",
    };
    Some(format!("data:{kind};base64,{}", BASE64.encode(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_is_put_in_and_an_address_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.svg"), "<svg/>").unwrap();
        let icons = json!([
            {"src": "./a.svg", "sizes": ["any"]},
            {"src": "https://example.com/a.png"},
            {"src": "gone.png"},
            {"nothing": true},
        ]);
        let embedded = embed(Some(&icons), root.path()).unwrap();
        assert_eq!(
            embedded,
            json!([
                {"src": "data:image/svg+xml;base64,PHN2Zy8+", "sizes": ["any"]},
                {"src": "https://example.com/a.png"},
            ])
        );
        assert_eq!(embed(Some(&json!("x")), root.path()), None);
        assert_eq!(embed(None, root.path()), None);
    }
}
