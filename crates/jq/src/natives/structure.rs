//! Functions on the structure of a value, and conversions.

use std::rc::Rc;

use jaq_core::Exn;
use jaq_core::native::{bome, unary, v};

use super::Native;
use crate::access::{occurrences, position};
use crate::read;
use crate::value::{Error, R, V, fail};

pub(super) fn natives() -> Vec<Native> {
    vec![
        ("type", v(0), |cv| bome(Ok(V::from(cv.1.kind())))),
        ("named", v(0), |cv| bome(Ok(V::text(cv.1.named())))),
        ("nan", v(0), |_| bome(Ok(V::from(f64::NAN)))),
        ("infinite", v(0), |_| bome(Ok(V::from(f64::INFINITY)))),
        ("isnan", v(0), |cv| {
            bome(match cv.1 {
                V::Num(n) => Ok(V::Bool(n.value().is_nan())),
                other => fail(format_args!("{} number required", other.named())),
            })
        }),
        ("length", v(0), |cv| bome(length(&cv.1))),
        ("keys", v(0), |cv| bome(keys(&cv.1))),
        ("has", v(1), |cv| unary(cv, |value, key| has(&value, &key))),
        ("contains", v(1), |cv| {
            unary(cv, |a, b| contains(&a, &b).map(V::Bool))
        }),
        ("indices", v(1), |cv| {
            unary(cv, |value, part| indices(&value, &part))
        }),
        ("bsearch", v(1), |cv| {
            unary(cv, |value, wanted| match value {
                V::Arr(items) => Ok(match items.binary_search(&wanted) {
                    Ok(at) => V::from(at),
                    Err(at) => V::from(-1 - at as isize),
                }),
                other => fail(format_args!("{} cannot be searched from", other.named())),
            })
        }),
        ("sort", v(0), |cv| {
            bome(match cv.1 {
                V::Arr(mut items) => {
                    Rc::make_mut(&mut items).sort();
                    Ok(V::Arr(items))
                }
                other => fail(format_args!(
                    "{} cannot be sorted, as it is not an array",
                    other.named()
                )),
            })
        }),
        ("reverse", v(0), |cv| {
            bome(match cv.1 {
                V::Null => Ok(V::array(Vec::new())),
                V::Str(text) => Ok(V::text(text.chars().rev().collect::<String>())),
                V::Arr(mut items) => {
                    Rc::make_mut(&mut items).reverse();
                    Ok(V::Arr(items))
                }
                other => fail(format_args!("Cannot reverse {}", other.named())),
            })
        }),
        ("delpaths", v(1), |cv| unary(cv, delete_paths)),
        ("tojson", v(0), |cv| bome(Ok(V::text(cv.1.to_string())))),
        ("fromjson", v(0), |cv| {
            bome(match &cv.1 {
                V::Str(text) => parse(text),
                other => fail(format_args!("{} only strings can be parsed", other.named())),
            })
        }),
        ("tonumber", v(0), |cv| {
            bome(match &cv.1 {
                V::Num(_) => Ok(cv.1),
                V::Str(text) => match read::one(text) {
                    Ok(n @ V::Num(_)) => Ok(n),
                    _ => fail(format_args!(
                        "{} cannot be parsed as a number",
                        cv.1.named()
                    )),
                },
                other => fail(format_args!(
                    "{} cannot be parsed as a number",
                    other.named()
                )),
            })
        }),
        ("toboolean", v(0), |cv| {
            bome(match (&cv.1, cv.1.as_text()) {
                (V::Bool(_), _) => Ok(cv.1),
                (_, Some("true")) => Ok(V::Bool(true)),
                (_, Some("false")) => Ok(V::Bool(false)),
                (other, _) => fail(format_args!(
                    "{} cannot be parsed as a boolean",
                    other.named()
                )),
            })
        }),
    ]
}

fn length(value: &V) -> R {
    Ok(match value {
        V::Null => V::from(0usize),
        V::Num(n) => V::from(n.value().abs()),
        V::Str(text) => V::from(text.chars().count()),
        V::Arr(items) => V::from(items.len()),
        V::Obj(members) => V::from(members.len()),
        V::Bool(_) => return fail(format_args!("{} has no length", value.named())),
    })
}

fn keys(value: &V) -> R {
    match value {
        V::Arr(items) => Ok((0..items.len()).map(V::from).collect()),
        V::Obj(members) => {
            let mut keys: Vec<&Rc<str>> = members.keys().collect();
            keys.sort();
            Ok(keys.into_iter().map(|k| V::from(&**k)).collect())
        }
        other => fail(format_args!("{} has no keys", other.named())),
    }
}

fn has(value: &V, key: &V) -> R {
    match (value, key) {
        (V::Obj(members), V::Str(key)) => Ok(V::Bool(members.contains_key(key.as_str()))),
        (V::Arr(items), V::Num(n)) => {
            Ok(V::Bool(n.value() >= 0.0 && n.value() < items.len() as f64))
        }
        _ => fail(format_args!(
            "Cannot check whether {} has a {} key",
            value.kind(),
            key.kind()
        )),
    }
}

fn contains(a: &V, b: &V) -> R<bool> {
    fn within(a: &V, b: &V) -> bool {
        match (a, b) {
            (V::Obj(a), V::Obj(b)) => b
                .iter()
                .all(|(k, b)| a.get(k).is_some_and(|a| within(a, b))),
            (V::Arr(a), V::Arr(b)) => b.iter().all(|b| a.iter().any(|a| within(a, b))),
            (V::Str(a), V::Str(b)) => a.contains(b.as_str()),
            _ => a == b,
        }
    }
    let boolean = |v: &V| matches!(v, V::Bool(_));
    if a.kind() == b.kind() || (boolean(a) && boolean(b)) {
        Ok(within(a, b))
    } else {
        fail(format_args!(
            "{} and {} cannot have their containment checked",
            a.named(),
            b.named()
        ))
    }
}

fn indices(value: &V, part: &V) -> R {
    match (value, part) {
        (V::Null, _) => Ok(V::Null),
        (V::Str(text), V::Str(part)) => {
            if part.is_empty() {
                return Ok(V::Null);
            }
            // Overlapping occurrences count, and positions are characters.
            let starts = text.char_indices().enumerate();
            let found = starts.filter(|(_, (byte, _))| text[*byte..].starts_with(part.as_str()));
            Ok(found.map(|(i, _)| V::from(i)).collect())
        }
        (V::Arr(items), V::Arr(part)) => Ok(occurrences(items, part)),
        (V::Arr(items), wanted) => {
            let found = items.iter().enumerate().filter(|(_, item)| *item == wanted);
            Ok(found.map(|(i, _)| V::from(i)).collect())
        }
        _ => fail(format_args!(
            "Cannot determine indices of {} in {}",
            part.kind(),
            value.kind()
        )),
    }
}

/// Deletes from the end, so that a deletion does not shift the indices of the next ones.
fn delete_paths(value: V, paths: V) -> R {
    let V::Arr(paths) = paths else {
        return fail("Paths must be specified as an array");
    };
    let mut paths: Vec<V> = paths.to_vec();
    paths.sort();
    paths
        .iter()
        .rev()
        .try_fold(value, |value, path| match path {
            V::Arr(path) => delete(value, path),
            _ => fail("Path must be specified as an array"),
        })
}

fn delete(value: V, path: &[V]) -> R {
    use jaq_core::ValT;
    let Some((first, rest)) = path.split_first() else {
        return Ok(V::Null);
    };
    match (&value, first) {
        (V::Null, _) => return Ok(V::Null),
        (V::Obj(members), V::Str(key)) if !members.contains_key(key.as_str()) => return Ok(value),
        (V::Obj(_), V::Str(_)) | (V::Arr(_), V::Num(_) | V::Obj(_)) => {}
        _ => {
            let what = format!(
                "Cannot delete field at {} index of {}",
                first.kind(),
                value.kind()
            );
            return fail(what);
        }
    }
    if let (V::Arr(items), V::Num(n)) = (&value, first)
        && position(n, items.len()).is_none_or(|at| at >= items.len())
    {
        return Ok(value);
    }
    let below = |old: V| {
        let new = if rest.is_empty() {
            None
        } else {
            Some(delete(old, rest))
        };
        new.map(|new| new.map_err(Exn::from)).into_iter()
    };
    let deleted = value.map_index(first, jaq_core::path::Opt::Essential, below);
    deleted.map_err(|e| e.get_err().unwrap_or_else(|_| Error::new(V::Null)))
}

fn parse(text: &str) -> R {
    if text.trim() == "nan" {
        return Ok(V::from(f64::NAN));
    }
    match read::one(text) {
        Ok(value) => Ok(value),
        Err(why) => fail(format_args!("{why} (while parsing '{text}')")),
    }
}
