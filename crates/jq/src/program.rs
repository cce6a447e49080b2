//! A compiled jq program and its host interface.

use super::natives::{Reach, natives};
use super::read::ParseError;
use super::value::V;
use jaq_core::data::{DataT, HasLut};
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Lut, Vars, compile};
use std::error::Error;
use std::fmt;

/// What natives reach beyond their input.
pub trait Host {
    /// The table of the program's terms.
    fn lut(&self) -> &Lut<Kind>;
    /// The next input value.
    fn next_input(&self) -> Option<Result<V, ParseError>>;
    /// The number of input lines read.
    fn line(&self) -> usize;
    /// The file of the last input.
    fn file_name(&self) -> V;
    /// The environment as an object.
    fn env(&self) -> V;
    /// Writes to stderr.
    fn complain(&self, text: &str);
}

/// The jaq data kind: our values, and a [`Host`] for natives.
#[derive(Debug)]
pub struct Kind;

impl DataT for Kind {
    type V<'a> = V;
    type Data<'a> = &'a (dyn Host + 'a);
}

impl<'a> HasLut<'a, Kind> for &'a (dyn Host + 'a) {
    fn lut(&self) -> &'a Lut<Kind> {
        (*self).lut()
    }
}

/// How a filter stopped, other than by a value.
#[derive(Debug)]
pub enum Stop {
    /// An uncaught error.
    Error(V),
    /// `halt`, with the exit code.
    Halt(i32),
}

/// A compile error with its lines, in the text that jq prints.
#[derive(Debug)]
pub struct CompileError {
    code: String,
    faults: Vec<(String, usize)>,
}

impl CompileError {
    fn new(code: &str, faults: Vec<(String, usize)>) -> Self {
        let code = code.to_owned();
        Self { code, faults }
    }
}

impl Error for CompileError {}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, faults } = self;
        for (what, line) in faults {
            writeln!(f, "jq: error: {what} at <top-level>, line {line}:\n{code}")?;
        }
        let plural = if faults.len() == 1 { "" } else { "s" };
        writeln!(f, "jq: {} compile error{plural}", faults.len())
    }
}

/// Compiles a program.
pub fn compiled(
    code: &str,
    variables: &[String],
    reach: Reach,
) -> Result<Filter<Kind>, CompileError> {
    let code = if code.trim().is_empty() { "." } else { code };
    let defs = load::parse(include_str!("defs.jq"), |p| p.defs()).unwrap_or_default();
    let arena = Arena::default();
    let modules = Loader::new(defs)
        .load(&arena, File { code, path: () })
        .map_err(|errors| {
            CompileError::new(
                code,
                errors.iter().flat_map(|(_, e)| faults(code, e)).collect(),
            )
        })?;
    Compiler::default()
        .with_funs(natives(reach))
        .with_global_vars(variables.iter().map(String::as_str))
        .compile(modules)
        .map_err(|errors| {
            let all = errors.into_iter().flat_map(|(_, errors)| errors);
            CompileError::new(code, all.map(|e| unknown(code, &e)).collect())
        })
}

/// The outputs of a filter for one input.
pub fn outputs<'a>(
    filter: &'a Filter<Kind>,
    host: &'a (dyn Host + 'a),
    variables: &[V],
    input: V,
) -> impl Iterator<Item = Result<V, Stop>> + 'a {
    let context = Ctx::<Kind>::new(host, Vars::new(variables.iter().cloned()));
    filter.id.run((context, input)).map(|out| {
        out.map_err(|stop| match stop.get_err() {
            Ok(error) => Stop::Error(error.into_val()),
            Err(other) => Stop::Halt(other.get_halt().unwrap_or(5)),
        })
    })
}

fn line_of(code: &str, part: &str) -> usize {
    let start = (part.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
    1 + code
        .get(..start)
        .map_or(0, |before| before.matches('\n').count())
}

fn faults(code: &str, error: &load::Error<&str>) -> Vec<(String, usize)> {
    let syntax = |expected: &str, found: &str| {
        let shown: String = found.chars().take(20).collect();
        let shown = if shown.is_empty() {
            "end of file".to_owned()
        } else {
            format!("'{}'", shown.trim_end())
        };
        let expecting = match expected {
            "nothing" => String::new(),
            other => format!(", expecting {other}"),
        };
        let what = format!("syntax error, unexpected {shown}{expecting}");
        (
            format!("{what} (Unix shell quoting issues?)"),
            line_of(code, found),
        )
    };
    match error {
        load::Error::Io(all) => all
            .iter()
            .map(|(part, why)| (format!("module: {why}"), line_of(code, part)))
            .collect(),
        load::Error::Lex(all) => all
            .iter()
            .map(|(e, found)| syntax(e.as_str(), found))
            .collect(),
        load::Error::Parse(all) => all
            .iter()
            .map(|(e, found)| syntax(e.as_str(), found))
            .collect(),
    }
}

fn unknown(code: &str, (name, kind): &compile::Error<&str>) -> (String, usize) {
    let what = match kind {
        compile::Undefined::Filter(arity) => format!("{name}/{arity} is not defined"),
        compile::Undefined::Label => format!("$*label-{name} is not defined"),
        _ => format!("{name} is not defined"),
    };
    (what, line_of(code, name))
}
