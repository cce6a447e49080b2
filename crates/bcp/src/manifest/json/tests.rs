//! The parser agrees with serde_json.

use std::borrow::Cow;
use std::io::Read;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::{Json, Result, Shape};
use crate::manifest::properties::{Slow, text};

/// Arbitrary JSON with arbitrary white space.
fn json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(|text| Value::from(text.into_owned())),
    ];
    let tree = leaf.prop_recursive(5, 40, 6, |inner| {
        let key = text().prop_map(Cow::into_owned);
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((key, inner), 0..6).prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    });
    (tree, any::<bool>()).prop_map(|(value, pretty)| {
        if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        }
    })
}

/// A value as serde_json represents it.
fn value(json: &mut Json<impl Read>) -> Result<Value> {
    let mut out = Vec::new();
    Ok(match json.shape()? {
        Shape::Text => {
            json.text(&mut out)?;
            String::from_utf8(out).unwrap().into()
        }
        Shape::Number => {
            json.number(&mut out)?;
            serde_json::from_slice(&out).unwrap_or(Value::Null)
        }
        Shape::Array => {
            let mut items = Vec::new();
            json.open_array()?;
            while json.item()? {
                items.push(value(json)?);
            }
            items.into()
        }
        Shape::Object => {
            let mut members = serde_json::Map::new();
            json.open_object()?;
            while json.key(&mut out)? {
                members.insert(String::from_utf8(out.clone()).unwrap(), value(json)?);
            }
            members.into()
        }
        Shape::Bool(flag) => json.skip().map(|()| flag.into())?,
        Shape::Null => json.skip().map(|()| Value::Null)?,
    })
}

fn whole(text: &[u8], step: usize) -> Result<Value> {
    let mut json = Json::new(Slow(text, step), 1 << 20);
    let value = value(&mut json)?;
    json.end()?;
    Ok(value)
}

fn skipped(text: &[u8], step: usize) -> Result<()> {
    let mut json = Json::new(Slow(text, step), 1 << 20);
    json.skip()?;
    json.end()
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(soup in vec(any::<u8>(), 0..200)) {
        let _ = skipped(&soup, 1);
    }

    #[test]
    fn values_agree_with_serde_json(text in json(), step in 1..70_usize) {
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(whole(text.as_bytes(), step).unwrap(), expected);
        prop_assert_eq!(skipped(text.as_bytes(), step), Ok(()));
    }

    #[test]
    fn validity_agrees_with_serde_json(
        text in prop_oneof![
            "[\\[\\]{}:,\"a0-9.eE+\\- \\n\\\\untrfls]{0,12}",
            "\"(\\\\(u[dD][89a-fA-F0-9]{3}|u[0-9a-f]{4}|[a-z\"/\\\\])|[a-z\\x00-\\x7f]){0,6}\"",
            json().prop_flat_map(|text| (Just(text), any::<prop::sample::Index>(), any::<u8>()))
                .prop_map(|(text, at, byte)| {
                    let mut text = text.into_bytes();
                    let at = at.index(text.len());
                    text[at] = byte % 0x80;
                    String::from_utf8_lossy(&text).into_owned()
                }),
        ],
    ) {
        let theirs = serde_json::from_str::<Value>(&text);
        match (whole(text.as_bytes(), 7), theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
            (Err(_), Err(_)) => {}
            // A number outside the range of floats is valid JSON too.
            (Ok(_), Err(e)) if e.to_string().contains("out of range") => {}
            (ours, theirs) => prop_assert!(false, "{text:?}: {ours:?}, {theirs:?}"),
        }
        prop_assert_eq!(
            skipped(text.as_bytes(), 7).is_ok(),
            whole(text.as_bytes(), 7).is_ok()
        );
    }
}
