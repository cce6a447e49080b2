//! Shortens the texts of a tool's result; everything else stays.

use linkspan_wire::{Json, JsonKind, Object, quote};

use crate::json;
use crate::kind::Kind;
use crate::policy::{Policy, Structured};
use crate::text::{Text, Worked, work};
use crate::{Keep, Stop};

/// The key in `_meta` under which a result describes how it was changed.
pub const META: &str = "linkspan/shrink";

/// What was done to one text of a result, or would have been done.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The index in `content`.
    pub index: usize,
    /// The outcome for the text.
    pub worked: Worked,
}

/// The outcome for a result.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The new result, if anything has changed.
    pub result: Option<String>,
    /// The outcome for each text that was examined.
    pub reports: Vec<Report>,
}

/// Shortens the texts of a tool's result.
pub fn rewrite(
    result: Json<'_>,
    tool: &str,
    policy: &Policy,
    keep: &dyn Keep,
    stop: &Stop,
) -> Rewritten {
    let Some(content) = result.get("content").filter(|_| is_complete(result)) else {
        return Rewritten::default();
    };
    let structured = result.get("structuredContent");
    let mut left = policy.budget;
    let mut reports = Vec::new();
    let mut items: Vec<String> = Vec::new();
    // The short form of a text that equals `structuredContent`.
    let mut double: Option<String> = None;
    let mut changed = false;
    for (index, item) in content.elements().enumerate() {
        let Some(text) = text_of(item) else {
            items.push(item.text().to_owned());
            continue;
        };
        let one = Text {
            text: &text,
            tool,
            budget: left,
        };
        let worked = work(&one, policy, keep, stop);
        left = left.map(|left| left.saturating_sub(worked.after));
        match &worked.text {
            Some(new) => {
                let same =
                    |structured: Json<'_>| worked.lossless && is_duplicate(structured, &text);
                if double.is_none() && structured.is_some_and(same) {
                    double = Some(new.clone());
                }
                items.push(with_text(item, new));
                changed = true;
            }
            None => items.push(item.text().to_owned()),
        }
        reports.push(Report { index, worked });
    }
    if !changed {
        return Rewritten {
            result: None,
            reports,
        };
    }
    let mut new = Object::of(Some(result)).with("content", &format!("[{}]", items.join(",")));
    match (policy.structured, double) {
        (Structured::Drop, Some(_)) => new = new.without(&["structuredContent"]),
        (Structured::Mirror, Some(text)) => {
            new = new.with(
                "structuredContent",
                &format!(r#"{{"text":{}}}"#, quote(&text)),
            );
        }
        // It has more than the text, or the policy keeps it.
        _ => {}
    }
    let meta = Object::of(result.get("_meta")).with(META, &meta(&reports));
    new = new.with("_meta", &meta.text());
    Rewritten {
        result: Some(new.text()),
        reports,
    }
}

/// Whether a result may be shortened: it is not an error, not a request for more input, and not already shortened by
/// another linkspan.
fn is_complete(result: Json<'_>) -> bool {
    if result.path(&["_meta", META]).is_some() {
        return false;
    }
    let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
    let kind = result.get("resultType").and_then(Json::as_str);
    !failed && kind.is_none_or(|kind| kind == "complete")
}

/// Whether `structuredContent` has nothing that the text lacks: it is the same value, or an object with one member that
/// is that value or the text itself, as many frameworks write it (`{"result": …}`, `{"content": "…"}`).
fn is_duplicate(structured: Json<'_>, text: &str) -> bool {
    let mut members = structured.members();
    let inner = match (members.next(), members.next()) {
        (Some((_, inner)), None) => Some(inner),
        _ => None,
    };
    let is_value = |json: Json<'_>| json::same(Kind::Json, json.text(), text);
    let is_text = |json: Json<'_>| json.as_str().as_deref() == Some(text);
    is_value(structured) || inner.is_some_and(|inner| is_text(inner) || is_value(inner))
}

/// The text of an item that is meant for the model.
fn text_of(item: Json<'_>) -> Option<String> {
    if let Some(audience) = item.path(&["annotations", "audience"])
        && audience.kind() == JsonKind::Array
        && !audience
            .elements()
            .any(|one| one.as_str().as_deref() == Some("assistant"))
    {
        return None;
    }
    let text = match &*item.get("type")?.as_str()? {
        "text" => item.get("text")?,
        "resource" => {
            let resource = item.get("resource")?;
            let uri = resource.get("uri")?.as_str()?;
            let scheme = uri.split(':').next().unwrap_or_default();
            // Resources for the client itself: a page to show, a skill to load.
            if scheme.eq_ignore_ascii_case("ui") || scheme.eq_ignore_ascii_case("skill") {
                return None;
            }
            resource.get("text")?
        }
        _ => return None,
    };
    // A lone surrogate would not survive the conversion.
    let text = text.as_str()?.into_owned();
    (!text.contains('\u{fffd}')).then_some(text)
}

fn with_text(item: Json<'_>, text: &str) -> String {
    let object = Object::of(Some(item));
    let text = quote(text);
    let is_text = |kind: Json<'_>| kind.as_str().as_deref() == Some("text");
    if item.get("type").is_some_and(is_text) {
        return object.with("text", &text).text();
    }
    let resource = Object::of(item.get("resource")).with("text", &text);
    object.with("resource", &resource.text()).text()
}

/// The `_meta` entry: what was done, and how to get the original.
fn meta(reports: &[Report]) -> String {
    let mut content = Vec::new();
    let mut fetch = false;
    let mut decode = false;
    for Report { index, worked } in reports {
        if worked.text.is_none() {
            continue;
        }
        let kinds: Vec<String> = worked.kinds.iter().map(|kind| quote(kind.name())).collect();
        let mut one = format!(
            r#"{{"index":{index},"kinds":[{}],"before":{},"after":{},"lossless":{}"#,
            kinds.join(","),
            worked.before,
            worked.after,
            worked.lossless
        );
        if let Some(id) = &worked.id {
            one.push_str(r#","id":"#);
            one.push_str(&quote(id));
            fetch = true;
        }
        decode |= worked.lossless;
        one.push('}');
        content.push(one);
    }
    let how = match (decode, fetch) {
        (true, true) => "the tool bcp_fetch with the id, or `linkspan shrink decode` with the text",
        (false, true) => "the tool bcp_fetch with the id",
        (true, false) => "`linkspan shrink decode` with the text",
        (false, false) => "was not kept: call the tool again, without --render or --lossy",
    };
    format!(
        r#"{{"content":[{}],"original":{}}}"#,
        content.join(","),
        quote(how)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    fn users(count: usize) -> String {
        let users: Vec<String> = (0..count)
            .map(|i| {
                format!(
                    "  {{\n    \"id\": {i}.50,\n    \"name\": \"user {i}\",\n    \"active\": true\n  }}"
                )
            })
            .collect();
        format!("[\n{}\n]", users.join(",\n"))
    }

    fn rewritten(result: &str, policy: &Policy) -> Rewritten {
        let json = Json::parse(result).unwrap();
        rewrite(json, "users", policy, &(), &Stop::default())
    }

    fn text_item(text: &str) -> String {
        format!(r#"{{"type":"text","text":{}}}"#, quote(text))
    }

    #[test]
    fn only_the_text_of_a_result_changes() {
        let image = r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#;
        let text = users(40);
        let result = format!(
            r#"{{"x":1.50,"content":[{image},{}],"_meta":{{"a": 1}}}}"#,
            text_item(&text)
        );
        let new = rewritten(&result, &Policy::default()).result.unwrap();
        let json = Json::parse(&new).unwrap();
        assert!(
            new.starts_with(&format!(
                r#"{{"x":1.50,"content":[{image},{{"type":"text","text":"%json"#
            )),
            "{new}"
        );
        assert_eq!(json.path(&["_meta", "a"]).unwrap().text(), "1");
        let told = json.path(&["_meta", META]).unwrap().text();
        assert!(
            told.starts_with(r#"{"content":[{"index":1,"kinds":["json"],"before":"#),
            "{told}"
        );
        let short = json.get("content").unwrap().elements().nth(1).unwrap();
        let short = short.get("text").unwrap().as_str().unwrap().into_owned();
        assert!(json::same(Kind::Json, &text, &decode(&short).unwrap()));
    }

    #[test]
    fn content_that_is_not_text_for_the_model_stays() {
        let text = quote(&users(40));
        let whole = text_item(&users(40));
        for result in [
            format!(r#"{{"isError":true,"content":[{whole}]}}"#),
            format!(r#"{{"resultType":"input_required","content":[{whole}]}}"#),
            format!(
                r#"{{"content":[{{"type":"resource","resource":{{"uri":"ui://x","text":{text}}}}}]}}"#
            ),
            format!(
                r#"{{"content":[{{"type":"resource","resource":{{"uri":"SKILL://x","text":{text}}}}}]}}"#
            ),
            format!(
                r#"{{"content":[{{"type":"text","text":{text},"annotations":{{"audience":["user"]}}}}]}}"#
            ),
            format!(r#"{{"content":[{{"type":"other","text":{text}}}]}}"#),
            r#"{"content":[{"type":"text","text":"short"}]}"#.to_owned(),
            r#"{"content":7}"#.to_owned(),
            "[]".to_owned(),
        ] {
            assert_eq!(
                rewritten(&result, &Policy::default()).result,
                None,
                "{result}"
            );
        }
    }

    #[test]
    fn a_text_resource_is_shortened_like_a_text() {
        let text = quote(&users(40));
        let result = format!(
            r#"{{"content":[{{"type":"resource","resource":{{"uri":"file:///x","text":{text}}}}}]}}"#
        );
        let new = rewritten(&result, &Policy::default()).result.unwrap();
        assert!(
            new.contains(r#""resource":{"uri":"file:///x","text":"%json"#),
            "{new}"
        );
    }

    #[test]
    fn equal_structured_content_is_dropped_only_by_policy() {
        let text = users(40);
        let result = format!(
            r#"{{"content":[{}],"structuredContent":{text}}}"#,
            text_item(&text)
        );
        let with = |structured| Policy {
            structured,
            ..Policy::default()
        };
        let kept = rewritten(&result, &with(Structured::Keep)).result.unwrap();
        assert!(kept.contains(&format!(r#""structuredContent":{text}"#)));
        let dropped = rewritten(&result, &with(Structured::Drop)).result.unwrap();
        assert!(!dropped.contains("structuredContent"));
        let mirrored = rewritten(&result, &with(Structured::Mirror))
            .result
            .unwrap();
        assert!(mirrored.contains(r#""structuredContent":{"text":"%json"#));
        for inner in [quote(&text), text.clone()] {
            let wrapped = format!(
                r#"{{"content":[{}],"structuredContent":{{"result":{inner}}}}}"#,
                text_item(&text)
            );
            let dropped = rewritten(&wrapped, &with(Structured::Drop)).result.unwrap();
            assert!(!dropped.contains("structuredContent"));
        }
        let more = format!(
            r#"{{"content":[{}],"structuredContent":{{"result":{},"next":1}}}}"#,
            text_item(&text),
            quote(&text)
        );
        let kept = rewritten(&more, &with(Structured::Drop)).result.unwrap();
        assert!(kept.contains("structuredContent"));
        let other = result.replace("0.50", "0.5");
        let other = format!(
            r#"{{"content":[{}],"structuredContent":[{{"id":1}}]}}"#,
            text_item(&other)
        );
        let kept = rewritten(&other, &with(Structured::Drop)).result.unwrap();
        assert!(kept.contains(r#""structuredContent":[{"id":1}]"#));
    }
}
