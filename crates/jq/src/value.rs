//! The value type.
//!
//! jaq has its own, but it differs from jq where scripts notice: assigning below `null`, indices past the end,
//! deleting several elements, error texts, the spelling of numbers. So the language is jaq's and the values are
//! ours.

use super::number::Num;
use indexmap::IndexMap;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

/// An object in insertion order.
pub type Map = IndexMap<Rc<str>, V>;
/// An error of a filter.
pub type Error = jaq_core::Error<V>;
/// A value or an error.
pub type R<T = V> = Result<T, Error>;

/// A JSON value; clones are cheap.
#[derive(Clone, Debug, Default)]
pub enum V {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// a number
    Num(Num),
    /// a string
    Str(Rc<String>),
    /// an array
    Arr(Rc<Vec<V>>),
    /// an object
    Obj(Rc<Map>),
}

impl V {
    /// The name of its type, as `type` returns it.
    pub fn kind(&self) -> &'static str {
        match self {
            V::Null => "null",
            V::Bool(_) => "boolean",
            V::Num(_) => "number",
            V::Str(_) => "string",
            V::Arr(_) => "array",
            V::Obj(_) => "object",
        }
    }

    /// `number (1)`: how error texts name a value, cut off when it is long.
    pub fn named(&self) -> String {
        const ROOM: usize = 26;
        let mut text = self.to_string();
        if text.len() > ROOM {
            let mut end = ROOM - 3;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push_str("...");
        }
        format!("{} ({text})", self.kind())
    }

    /// A string.
    pub fn text(s: impl Into<String>) -> Self {
        V::Str(Rc::new(s.into()))
    }

    /// An array.
    pub fn array(items: Vec<V>) -> Self {
        V::Arr(Rc::new(items))
    }

    /// An object.
    pub fn object(members: Map) -> Self {
        V::Obj(Rc::new(members))
    }

    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            V::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The text that `tostring` returns.
    pub fn plain(&self) -> String {
        match self {
            V::Str(s) => s.as_str().to_owned(),
            other => other.to_string(),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            V::Null => 0,
            V::Bool(false) => 1,
            V::Bool(true) => 2,
            V::Num(_) => 3,
            V::Str(_) => 4,
            V::Arr(_) => 5,
            V::Obj(_) => 6,
        }
    }
}

/// An error with a text.
pub fn fail<T>(text: impl fmt::Display) -> R<T> {
    Err(Error::new(V::text(text.to_string())))
}

impl Ord for V {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (V::Num(a), V::Num(b)) => a.order(b),
            (V::Str(a), V::Str(b)) => a.cmp(b),
            (V::Arr(a), V::Arr(b)) => a.cmp(b),
            (V::Obj(a), V::Obj(b)) => by_keys_then_values(a, b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// Objects compare by their sorted keys first, then value by value in that order.
fn by_keys_then_values(a: &Map, b: &Map) -> Ordering {
    let sorted = |m: &Map| {
        let mut keys: Vec<Rc<str>> = m.keys().cloned().collect();
        keys.sort();
        keys
    };
    let (keys, others) = (sorted(a), sorted(b));
    keys.cmp(&others).then_with(|| {
        keys.iter()
            .map(|k| a.get(k).cmp(&b.get(k)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

impl PartialOrd for V {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for V {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (V::Num(a), V::Num(b)) => a == b,
            _ => self.cmp(other).is_eq(),
        }
    }
}

impl Eq for V {}

impl From<bool> for V {
    fn from(b: bool) -> Self {
        V::Bool(b)
    }
}

impl From<isize> for V {
    fn from(i: isize) -> Self {
        V::Num(Num::from(i as f64))
    }
}

impl From<usize> for V {
    fn from(i: usize) -> Self {
        V::Num(Num::from(i as f64))
    }
}

impl From<f64> for V {
    fn from(x: f64) -> Self {
        V::Num(Num::from(x))
    }
}

impl From<String> for V {
    fn from(s: String) -> Self {
        V::text(s)
    }
}

impl From<&str> for V {
    fn from(s: &str) -> Self {
        V::text(s)
    }
}

impl From<jaq_core::val::Range<V>> for V {
    fn from(range: jaq_core::val::Range<V>) -> Self {
        V::object(Map::from_iter([
            (Rc::from("start"), range.start.unwrap_or_default()),
            (Rc::from("end"), range.end.unwrap_or_default()),
        ]))
    }
}

impl FromIterator<V> for V {
    fn from_iter<T: IntoIterator<Item = V>>(items: T) -> Self {
        V::array(items.into_iter().collect())
    }
}

impl jaq_std::ValT for V {
    fn into_seq<S: FromIterator<Self>>(self) -> Result<S, Self> {
        match self {
            V::Arr(items) => Ok(Rc::unwrap_or_clone(items).into_iter().collect()),
            other => Err(other),
        }
    }

    fn is_int(&self) -> bool {
        matches!(self, V::Num(n) if n.value().trunc() == n.value())
    }

    fn as_isize(&self) -> Option<isize> {
        match self {
            V::Num(n) => n.as_isize(),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            V::Num(n) => Some(n.value()),
            _ => None,
        }
    }

    fn is_utf8_str(&self) -> bool {
        matches!(self, V::Str(_))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.as_text().map(str::as_bytes)
    }

    fn as_sub_str(&self, sub: &[u8]) -> Self {
        V::text(String::from_utf8_lossy(sub))
    }

    fn from_utf8_bytes(b: impl AsRef<[u8]> + Send + 'static) -> Self {
        V::text(String::from_utf8_lossy(b.as_ref()))
    }
}
