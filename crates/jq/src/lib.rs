//! The jq for tools, built into this program, so tools need no jq installed.
//!
//! The language is jaq's; values, messages, options and exit codes follow jq 1.7. In restricted mode it reads
//! no files and no environment: the SDK's `mcp_args_get` takes a filter from the tool's author and possibly, by
//! mistake, from the client, and the filter should see the arguments only.

mod access;
mod arith;
mod input;
mod natives;
mod number;
mod options;
mod print;
mod program;
mod read;
mod text;
mod value;

use input::Inputs;
use jaq_core::{Filter, Lut};
use natives::{Reach, strings};
use options::{Options, Parsed};
use program::{Host, Kind, Stop, compiled, outputs};
use read::ParseError;
use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use value::V;

/// What a run of jq may access.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The environment, for `env` and `$ENV`.
    pub env: Vec<(String, String)>,
    /// No environment, no files, no file names.
    pub restricted: bool,
}

/// Runs jq with `args` and returns its exit code.
pub fn run(
    args: &[String],
    world: &World,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    // A closed stdout ends the program: no output is possible, and the failure cannot be reported.
    let code = match options::parse(args, world.restricted) {
        Parsed::Show(text) => stdout.write_all(text.as_bytes()).map(|()| 0),
        Parsed::Wrong(text) => stderr.write_all(text.as_bytes()).map(|()| 2),
        Parsed::Run(options) => with(&options, world, stdin, stdout, stderr),
    };
    let flushed = stdout.flush();
    code.and_then(|code| flushed.map(|()| code)).unwrap_or(2)
}

fn with(
    options: &Options,
    world: &World,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> io::Result<u8> {
    let env = strings(
        world
            .env
            .iter()
            .map(|(k, v)| (k.as_str(), V::from(v.as_str()))),
    );
    let (names, values) = variables(options, world, &env);
    let reach = if world.restricted {
        Reach::Restricted
    } else {
        Reach::Usual
    };
    let filter = match compiled(&options.filter, &names, reach) {
        Ok(filter) => filter,
        Err(error) => {
            stderr.write_all(error.to_string().as_bytes())?;
            return Ok(3);
        }
    };
    let run = Run {
        filter: &filter,
        inputs: RefCell::new(Inputs::new(stdin, options.files.clone(), options.mode)),
        stderr: RefCell::new(stderr),
        env,
        broken: Cell::new(false),
    };
    run.all(options, &values, stdout)
}

/// `$ENV`, `$ARGS`, `$__loc__` and the variables of the command line.
fn variables(options: &Options, world: &World, env: &V) -> (Vec<String>, Vec<V>) {
    let named = strings(options.named.iter().map(|(k, v)| (k.as_str(), v.clone())));
    let positional = V::array(options.positional.clone());
    let args = strings([("positional", positional), ("named", named)].into_iter());
    let place = [("file", V::from("<top-level>")), ("line", V::from(1usize))];
    let mut all = vec![
        ("$ARGS".to_owned(), args),
        ("$__loc__".to_owned(), strings(place.into_iter())),
        (
            "$__prog_args".to_owned(),
            V::array(options.positional.clone()),
        ),
    ];
    if !world.restricted {
        all.push(("$ENV".to_owned(), env.clone()));
    }
    all.extend(
        options
            .named
            .iter()
            .map(|(k, v)| (format!("${k}"), v.clone())),
    );
    all.into_iter().unzip()
}

struct Run<'a> {
    filter: &'a Filter<Kind>,
    inputs: RefCell<Inputs<'a>>,
    stderr: RefCell<&'a mut dyn Write>,
    env: V,
    /// Writing to stderr failed.
    broken: Cell<bool>,
}

impl Host for Run<'_> {
    fn lut(&self) -> &Lut<Kind> {
        &self.filter.lut
    }

    fn next_input(&self) -> Option<Result<V, ParseError>> {
        self.inputs.borrow_mut().next()
    }

    fn line(&self) -> usize {
        self.inputs.borrow().line()
    }

    fn file_name(&self) -> V {
        self.inputs.borrow().file_name().map_or(V::Null, V::from)
    }

    fn env(&self) -> V {
        self.env.clone()
    }

    fn complain(&self, text: &str) {
        if self.stderr.borrow_mut().write_all(text.as_bytes()).is_err() {
            self.broken.set(true);
        }
    }
}

/// The outputs seen so far, for the exit code.
#[derive(Default)]
struct Tally {
    last: Option<bool>,
    code: u8,
}

impl Run<'_> {
    fn all(&self, options: &Options, variables: &[V], stdout: &mut dyn Write) -> io::Result<u8> {
        let mut tally = Tally::default();
        let mut halted = None;
        if options.null_input {
            halted = self.one(options, variables, V::Null, &mut tally, stdout)?;
        } else {
            while let Some(input) = self.next_input() {
                let input = match input {
                    Ok(input) => input,
                    Err(why) => {
                        self.complain(&format!("jq: parse error: {why}\n"));
                        tally.code = 2;
                        break;
                    }
                };
                let inputs = if options.stream {
                    events(&input)
                } else {
                    vec![input]
                };
                for input in inputs {
                    halted = self.one(options, variables, input, &mut tally, stdout)?;
                    if halted.is_some() {
                        break;
                    }
                }
                if halted.is_some() || self.broken.get() {
                    break;
                }
            }
        }
        let troubles = std::mem::take(&mut self.inputs.borrow_mut().troubles);
        for trouble in &troubles {
            self.complain(&format!("jq: {trouble}\n"));
        }
        Ok(match (halted, tally.last) {
            (Some(code), _) => code as u8,
            _ if !troubles.is_empty() => 2,
            _ if tally.code != 0 => tally.code,
            (None, Some(true)) => 0,
            (None, Some(false)) if options.exit_status => 1,
            (None, None) if options.exit_status => 4,
            _ => 0,
        })
    }

    fn one(
        &self,
        options: &Options,
        variables: &[V],
        input: V,
        tally: &mut Tally,
        stdout: &mut dyn Write,
    ) -> io::Result<Option<i32>> {
        tally.code = 0;
        let mut line = String::new();
        for output in outputs(self.filter, self, variables, input) {
            match output {
                Ok(value) => {
                    line.clear();
                    if options.seq {
                        line.push('\u{1e}');
                    }
                    match &value {
                        V::Str(text) if options.raw && !options.layout.ascii => line.push_str(text),
                        other => options.layout.write(&mut line, other),
                    }
                    line.push_str(options.after);
                    stdout.write_all(line.as_bytes())?;
                    tally.last = Some(!matches!(value, V::Null | V::Bool(false)));
                }
                Err(Stop::Halt(code)) => return Ok(Some(code)),
                Err(Stop::Error(error)) => {
                    let place = self.inputs.borrow().place();
                    let text = match &error {
                        V::Str(text) => format!("jq: error (at {place}): {text}\n"),
                        other => format!("jq: error (at {place}) (not a string): {other}\n"),
                    };
                    stdout.flush()?;
                    self.complain(&text);
                    tally.code = 5;
                    break;
                }
            }
        }
        Ok(None)
    }
}

/// The events of `--stream`: leaves with their paths, and the end of each non-empty container.
fn events(value: &V) -> Vec<V> {
    fn visit(value: &V, path: &mut Vec<V>, out: &mut Vec<V>) {
        let children: Vec<(V, &V)> = match value {
            V::Arr(items) => items
                .iter()
                .enumerate()
                .map(|(i, v)| (V::from(i), v))
                .collect(),
            V::Obj(members) => members.iter().map(|(k, v)| (V::from(&**k), v)).collect(),
            _ => Vec::new(),
        };
        if children.is_empty() {
            out.push(V::array(vec![V::array(path.clone()), value.clone()]));
            return;
        }
        let last = children.len() - 1;
        for (i, (key, child)) in children.into_iter().enumerate() {
            path.push(key);
            visit(child, path, out);
            if i == last {
                out.push(V::array(vec![V::array(path.clone())]));
            }
            path.pop();
        }
    }
    let mut out = Vec::new();
    visit(value, &mut Vec::new(), &mut out);
    out
}

#[cfg(test)]
mod tests;
