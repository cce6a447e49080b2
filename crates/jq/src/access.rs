//! Reads and changes parts of values: `.a`, `.[1:]`, `.[]`, and the same on the left of `|=`.
//!
//! Below `null` jq creates the containers that an assignment needs: `null | .a[1] = 2` is `{"a":[null,2]}`.

use super::number::Num;
use super::value::{Error, Map, R, V, fail};
use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Exn, ValX};
use std::rc::Rc;

/// Length limit of an array that an assignment creates; `null | .[1e9] = 1` is an error.
const MAX_FILLED: usize = 16 * 1024 * 1024;

impl jaq_core::ValT for V {
    fn from_num(text: &str) -> R {
        match Num::parse(text) {
            Some(n) => Ok(V::Num(n)),
            None => fail(format_args!("Invalid numeric literal '{text}'")),
        }
    }

    fn from_map<I: IntoIterator<Item = (V, V)>>(pairs: I) -> R {
        let mut members = Map::new();
        for (key, value) in pairs {
            match key {
                V::Str(key) => members.insert(Rc::from(key.as_str()), value),
                other => {
                    return fail(format_args!(
                        "Object keys must be strings, not {}",
                        other.named()
                    ));
                }
            };
        }
        Ok(V::object(members))
    }

    fn key_values(self) -> BoxIter<'static, R<(V, V)>> {
        match self {
            V::Arr(items) => {
                let items = Rc::unwrap_or_clone(items).into_iter().enumerate();
                Box::new(items.map(|(i, v)| Ok((V::from(i), v))))
            }
            V::Obj(members) => {
                let members = Rc::unwrap_or_clone(members).into_iter();
                Box::new(members.map(|(k, v)| Ok((V::from(&*k), v))))
            }
            other => box_once(no_iteration(&other)),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = R>> {
        match self {
            V::Arr(items) => Box::new(Rc::unwrap_or_clone(items).into_iter().map(Ok)),
            V::Obj(members) => Box::new(Rc::unwrap_or_clone(members).into_values().map(Ok)),
            other => box_once(no_iteration(&other)),
        }
    }

    fn index(self, index: &V) -> R {
        match (&self, index) {
            (V::Null, V::Null | V::Str(_) | V::Num(_) | V::Obj(_)) => Ok(V::Null),
            (V::Obj(members), V::Str(key)) => {
                Ok(members.get(key.as_str()).cloned().unwrap_or_default())
            }
            (V::Arr(items), V::Num(n)) => Ok(position(n, items.len())
                .and_then(|i| items.get(i).cloned())
                .unwrap_or_default()),
            (V::Arr(items), V::Arr(part)) => Ok(occurrences(items, part)),
            (V::Arr(_) | V::Str(_), V::Obj(range)) => self.clone().range(bounds(range)),
            _ => no_index(&self, index),
        }
    }

    fn range(self, range: Range<&V>) -> R {
        match &self {
            V::Null => Ok(V::Null),
            V::Arr(items) => {
                let (from, upto) = limits(range, items.len())?;
                Ok(V::array(items[from..upto].to_vec()))
            }
            V::Str(text) => {
                let (from, upto) = limits(range, text.chars().count())?;
                Ok(V::text(
                    text.chars()
                        .skip(from)
                        .take(upto - from)
                        .collect::<String>(),
                ))
            }
            other => fail(format_args!("Cannot index {} with object", other.kind())),
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, V>>>(
        self,
        opt: Opt,
        f: impl Fn(V) -> I,
    ) -> ValX<'a, V> {
        match self {
            V::Arr(items) => {
                let items = Rc::unwrap_or_clone(items).into_iter();
                Ok(V::array(
                    items
                        .filter_map(|v| f(v).next())
                        .collect::<Result<_, _>>()?,
                ))
            }
            V::Obj(members) => {
                let members = Rc::unwrap_or_clone(members).into_iter();
                let kept = members.filter_map(|(k, v)| Some(f(v).next()?.map(|v| (k, v))));
                Ok(V::object(kept.collect::<Result<_, Exn<'a, V>>>()?))
            }
            other => opt.fail(other, |v| Exn::from(unless(no_iteration::<V>(&v)))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, V>>>(
        self,
        index: &V,
        opt: Opt,
        f: impl Fn(V) -> I,
    ) -> ValX<'a, V> {
        match (self, index) {
            (base @ (V::Null | V::Obj(_)), V::Str(key)) => map_member(base, key, f),
            (base @ (V::Null | V::Arr(_)), V::Num(n)) => match map_element(base, n, &f) {
                Ok(changed) => Ok(changed),
                Err(Ok(exception)) => Err(exception),
                Err(Err(base)) => opt.fail(base, |_| {
                    Exn::from(Error::new(V::from("Out of bounds negative array index")))
                }),
            },
            (base @ (V::Null | V::Arr(_) | V::Str(_)), V::Obj(range)) => {
                base.map_range(bounds(range), opt, f)
            }
            (base, index) => opt.fail(base, |v| Exn::from(unless(no_index::<V>(&v, index)))),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, V>>>(
        self,
        range: Range<&V>,
        opt: Opt,
        f: impl Fn(V) -> I,
    ) -> ValX<'a, V> {
        let mut items = match self {
            V::Null => Vec::new(),
            V::Arr(items) => Rc::unwrap_or_clone(items),
            other => {
                let text = format!("Cannot update field at object index of {}", other.kind());
                return opt.fail(other, |_| Exn::from(Error::new(V::from(text))));
            }
        };
        let (from, upto) = limits(range, items.len()).map_err(Exn::from)?;
        let part = V::array(items[from..upto].to_vec());
        let new = match f(part).next().transpose()? {
            None => Vec::new(),
            Some(V::Arr(new)) => Rc::unwrap_or_clone(new),
            Some(_) => {
                let text = "A slice of an array can only be assigned another array";
                return Err(Exn::from(Error::new(V::from(text))));
            }
        };
        items.splice(from..upto, new);
        Ok(V::array(items))
    }

    fn as_bool(&self) -> bool {
        !matches!(self, V::Null | V::Bool(false))
    }

    fn into_string(self) -> V {
        match self {
            V::Str(_) => self,
            other => V::text(other.to_string()),
        }
    }
}

fn map_member<'a, I: Iterator<Item = ValX<'a, V>>>(
    base: V,
    key: &str,
    f: impl Fn(V) -> I,
) -> ValX<'a, V> {
    let (mut members, was_null) = match base {
        V::Obj(members) => (Rc::unwrap_or_clone(members), false),
        _ => (Map::new(), true),
    };
    let old = members.get_mut(key).map(std::mem::take).unwrap_or_default();
    match f(old).next().transpose()? {
        Some(new) => {
            members.insert(Rc::from(key), new);
        }
        None if was_null => return Ok(V::Null),
        None => {
            members.shift_remove(key);
        }
    }
    Ok(V::object(members))
}

/// The error is `Err(Ok(exception))`, or `Err(Err(value))` if the index is too far to the left.
fn map_element<'a, I: Iterator<Item = ValX<'a, V>>>(
    base: V,
    index: &Num,
    f: &impl Fn(V) -> I,
) -> Result<V, Result<Exn<'a, V>, V>> {
    let (mut items, was_null) = match base {
        V::Arr(items) => (Rc::unwrap_or_clone(items), false),
        _ => (Vec::new(), true),
    };
    let Some(at) = position(index, items.len()) else {
        return Err(Err(if was_null { V::Null } else { V::array(items) }));
    };
    if at >= MAX_FILLED {
        return Err(Ok(Exn::from(Error::new(V::from("Array index too large")))));
    }
    let old = items.get_mut(at).map(std::mem::take).unwrap_or_default();
    match f(old).next().transpose().map_err(Ok)? {
        Some(new) => {
            if at >= items.len() {
                items.resize(at + 1, V::Null);
            }
            items[at] = new;
        }
        None if was_null => return Ok(V::Null),
        None if at < items.len() => {
            items.remove(at);
        }
        None => {}
    }
    Ok(V::array(items))
}

/// Where an index points, counted from the start. `None`: before the start.
pub fn position(index: &Num, len: usize) -> Option<usize> {
    let i = index.value().floor();
    if i.is_nan() {
        return Some(usize::MAX);
    }
    if i >= 0.0 {
        Some(i as usize)
    } else {
        len.checked_sub(-i as usize)
    }
}

fn bounds(range: &Map) -> Range<&V> {
    range.get("start")..range.get("end")
}

fn limits(range: Range<&V>, len: usize) -> R<(usize, usize)> {
    let place = |bound: Option<&V>, default: usize, round: fn(f64) -> f64| match bound {
        None | Some(V::Null) => Ok(default),
        Some(V::Num(n)) => {
            let at = round(n.value());
            let at = if at < 0.0 { at + len as f64 } else { at };
            Ok(at.clamp(0.0, len as f64) as usize)
        }
        Some(_) => fail("Start and end indices of an array slice must be numbers"),
    };
    let from = place(range.start, 0, f64::floor)?;
    let upto = place(range.end, len, f64::ceil)?;
    Ok((from, upto.max(from)))
}

/// The indices at which `part` occurs in an array.
pub fn occurrences(items: &[V], part: &[V]) -> V {
    if part.is_empty() {
        return V::Null;
    }
    let windows = items.windows(part.len()).enumerate();
    windows
        .filter(|(_, w)| *w == part)
        .map(|(i, _)| V::from(i))
        .collect()
}

fn no_iteration<T>(value: &V) -> R<T> {
    fail(format_args!("Cannot iterate over {}", value.named()))
}

fn no_index<T>(value: &V, index: &V) -> R<T> {
    match index {
        V::Str(key) => {
            let mut quoted = String::new();
            super::print::quote(&mut quoted, key, false);
            fail(format_args!("Cannot index {} with {quoted}", value.kind()))
        }
        other => fail(format_args!(
            "Cannot index {} with {}",
            value.kind(),
            other.kind()
        )),
    }
}

/// The error of a result that must have failed.
fn unless<T>(result: R<T>) -> Error {
    match result {
        Err(error) => error,
        Ok(_) => Error::new(V::Null),
    }
}
