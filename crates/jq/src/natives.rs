//! jq's primitive functions: which there are, inputs, messages.

mod structure;

use super::program::{Host, Kind};
use super::value::{Map, V, fail};
use jaq_core::box_iter::box_once;
use jaq_core::native::{Filter, Fun, bome, run, unary, v};
use jaq_core::{Cv, Exn, RunPtr};
use std::rc::Rc;

/// What a program may access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// The environment and the names of its inputs.
    Usual,
    /// Only its input.
    Restricted,
}

/// The functions of jaq's library that behave as in jq.
const FROM_JAQ: &[&str] = &[
    "floor",
    "round",
    "ceil",
    "sort_by",
    "group_by",
    "min_by_or_empty",
    "max_by_or_empty",
    "halt",
    "now",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "frexp",
    "ilogb",
    "j0",
    "j1",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "modf",
    "nearbyint",
    "rint",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "atan2",
    "copysign",
    "fdim",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "jn",
    "ldexp",
    "nextafter",
    "pow",
    "remainder",
    "scalbln",
    "yn",
    "fma",
    "strftime",
    "strflocaltime",
    "gmtime",
    "localtime",
    "strptime",
    "mktime",
];

/// Every native function.
pub fn natives(reach: Reach) -> Vec<Fun<Kind>> {
    let jaq = jaq_std::funs::<Kind>().filter(|(name, ..)| FROM_JAQ.contains(name));
    let ours = structure::natives()
        .into_iter()
        .chain(talk())
        .chain(super::text::natives());
    let outside = match reach {
        Reach::Usual => outside(),
        Reach::Restricted => Vec::new(),
    };
    jaq_core::funs::<Kind>()
        .chain(jaq)
        .chain(ours.chain(outside).map(|native| run::<Kind>(native)))
        .collect()
}

/// A native filter before it is registered.
pub type Native = Filter<RunPtr<Kind>>;

/// Functions for inputs, messages and termination.
fn talk() -> Vec<Native> {
    vec![
        ("next_input", v(0), |cv| {
            bome(match host(&cv).next_input() {
                None => Ok(V::array(Vec::new())),
                Some(Ok(value)) => Ok(V::array(vec![value])),
                Some(Err(text)) => fail(text),
            })
        }),
        ("input_line_number", v(0), |cv| {
            bome(Ok(V::from(host(&cv).line())))
        }),
        ("debug_as", v(1), |cv| {
            let here = host(&cv);
            unary(cv, move |value, message| {
                here.complain(&format!("[\"DEBUG:\",{message}]\n"));
                Ok(value)
            })
        }),
        ("stderr", v(0), |cv| {
            host(&cv).complain(&cv.1.to_string());
            bome(Ok(cv.1))
        }),
        ("halt_error", v(1), |mut cv| {
            let code = cv.0.pop_var();
            let V::Num(code) = code else {
                return bome(fail("halt_error/1: number required"));
            };
            let text = match &cv.1 {
                V::Str(text) => text.as_str().to_owned(),
                other => format!("{other}\n"),
            };
            host(&cv).complain(&text);
            box_once(Err(Exn::halt(code.value() as i32)))
        }),
    ]
}

fn outside() -> Vec<Native> {
    vec![
        ("env", v(0), |cv| bome(Ok(host(&cv).env()))),
        ("input_filename", v(0), |cv| bome(Ok(host(&cv).file_name()))),
    ]
}

fn host<'a>(cv: &Cv<'a, Kind>) -> &'a (dyn Host + 'a) {
    *cv.0.data()
}

/// An object of strings, for the environment and `$ARGS`.
pub fn strings<'a>(pairs: impl Iterator<Item = (&'a str, V)>) -> V {
    V::object(pairs.map(|(k, v)| (Rc::from(k), v)).collect::<Map>())
}
