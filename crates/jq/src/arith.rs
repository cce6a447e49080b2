//! `+ - * / %` and unary minus.

use super::value::{Error, Map, R, V, fail};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::rc::Rc;

/// Length limit of a repeated string.
const MAX_REPEATED: usize = 256 * 1024 * 1024;

fn clash(l: &V, r: &V, what: &str) -> R {
    fail(format_args!(
        "{} and {} cannot be {what}",
        l.named(),
        r.named()
    ))
}

impl Add for V {
    type Output = R;
    fn add(self, other: V) -> R {
        match (self, other) {
            (V::Null, x) | (x, V::Null) => Ok(x),
            (V::Num(a), V::Num(b)) => Ok(V::from(a.value() + b.value())),
            (V::Str(mut a), V::Str(b)) => {
                Rc::make_mut(&mut a).push_str(&b);
                Ok(V::Str(a))
            }
            (V::Arr(mut a), V::Arr(b)) => {
                Rc::make_mut(&mut a).extend(b.iter().cloned());
                Ok(V::Arr(a))
            }
            (V::Obj(mut a), V::Obj(b)) => {
                let members = Rc::make_mut(&mut a);
                members.extend(b.iter().map(|(k, v)| (k.clone(), v.clone())));
                Ok(V::Obj(a))
            }
            (l, r) => clash(&l, &r, "added"),
        }
    }
}

impl Sub for V {
    type Output = R;
    fn sub(self, other: V) -> R {
        match (self, other) {
            (V::Num(a), V::Num(b)) => Ok(V::from(a.value() - b.value())),
            (V::Arr(mut a), V::Arr(b)) => {
                Rc::make_mut(&mut a).retain(|x| !b.contains(x));
                Ok(V::Arr(a))
            }
            (l, r) => clash(&l, &r, "subtracted"),
        }
    }
}

impl Mul for V {
    type Output = R;
    fn mul(self, other: V) -> R {
        match (self, other) {
            (V::Num(a), V::Num(b)) => Ok(V::from(a.value() * b.value())),
            (V::Str(text), V::Num(n)) | (V::Num(n), V::Str(text)) => {
                let times = n.value();
                if times.is_nan() || times <= 0.0 {
                    return Ok(V::Null);
                }
                let times = times.ceil() as usize;
                if text.len().saturating_mul(times) > MAX_REPEATED {
                    return fail("Repeat string result too long");
                }
                Ok(V::text(text.repeat(times)))
            }
            (V::Obj(mut a), V::Obj(b)) => {
                merge(Rc::make_mut(&mut a), &b);
                Ok(V::Obj(a))
            }
            (l, r) => clash(&l, &r, "multiplied"),
        }
    }
}

fn merge(into: &mut Map, from: &Map) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(V::Obj(old)), V::Obj(new)) => merge(Rc::make_mut(old), new),
            (Some(old), new) => *old = new.clone(),
            (None, new) => {
                into.insert(key.clone(), new.clone());
            }
        }
    }
}

impl Div for V {
    type Output = R;
    fn div(self, other: V) -> R {
        match (&self, &other) {
            (V::Num(_), V::Num(b)) if b.value() == 0.0 => {
                clash(&self, &other, "divided because the divisor is zero")
            }
            (V::Num(a), V::Num(b)) => Ok(V::from(a.value() / b.value())),
            (V::Str(text), V::Str(by)) => Ok(split(text, by)),
            _ => clash(&self, &other, "divided"),
        }
    }
}

/// The pieces of a string between separators.
pub fn split(text: &str, by: &str) -> V {
    if text.is_empty() {
        V::array(Vec::new())
    } else if by.is_empty() {
        text.chars().map(|c| V::text(c.to_string())).collect()
    } else {
        text.split(by).map(V::from).collect()
    }
}

impl Rem for V {
    type Output = R;
    fn rem(self, other: V) -> R {
        match (&self, &other) {
            (V::Num(a), V::Num(b)) => {
                let (a, b) = (a.value(), b.value());
                if a.is_nan() || b.is_nan() {
                    return Ok(V::from(f64::NAN));
                }
                match (b as i64).unsigned_abs() {
                    0 => clash(&self, &other, "divided because the divisor is zero"),
                    by => {
                        let rest = ((a as i64).unsigned_abs() % by) as f64;
                        Ok(V::from(if a < 0.0 { -rest } else { rest } + 0.0))
                    }
                }
            }
            _ => clash(&self, &other, "divided"),
        }
    }
}

impl Neg for V {
    type Output = R;
    fn neg(self) -> R {
        match self {
            V::Num(n) => Ok(V::from(-n.value())),
            other => Err(Error::new(V::text(format!(
                "{} cannot be negated",
                other.named()
            )))),
        }
    }
}
