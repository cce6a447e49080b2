//! The command line of jq.

use super::input::{Mode, plainly};
use super::print::Layout;
use super::read;
use super::value::V;
use std::fs;
use std::path::PathBuf;

/// A parsed command line.
#[derive(Debug)]
pub struct Options {
    /// The program's text.
    pub filter: String,
    /// The files to read.
    pub files: Vec<PathBuf>,
    /// How inputs are read.
    pub mode: Mode,
    /// `-n`
    pub null_input: bool,
    /// `--stream`
    pub stream: bool,
    /// The layout of outputs.
    pub layout: Layout,
    /// `-r`, `-j`, `--raw-output0`: strings without quotes.
    pub raw: bool,
    /// What follows an output: a line feed, nothing (`-j`) or NUL.
    pub after: &'static str,
    /// `--seq`
    pub seq: bool,
    /// `-e`
    pub exit_status: bool,
    /// Variables by name, without `$`.
    pub named: Vec<(String, V)>,
    /// The values after `--args` and `--jsonargs`.
    pub positional: Vec<V>,
}

/// The result of parsing a command line.
#[derive(Debug)]
pub enum Parsed {
    /// Run this.
    Run(Box<Options>),
    /// Print this to stdout and exit with 0.
    Show(String),
    /// Print this to stderr and exit with 2.
    Wrong(String),
}

/// The version that `--version` names: the jq whose behaviour we follow.
pub const VERSION: &str = "jq-1.7.1-linkspan";

const USAGE: &str = "Usage:\tjq [options] <jq filter> [file...]\n\tjq [options] --args <jq filter> [strings...]\n\tjq [options] --jsonargs <jq filter> [JSON_TEXTS...]\n";

const OPTIONS: &str = "\nOptions:
  -n, --null-input        use `null` as the single input value
  -R, --raw-input         read each line as a string instead of JSON
  -s, --slurp             read all inputs into an array
  -c, --compact-output    one line per output
  -r, --raw-output        strings without quotes
  -j, --join-output       -r without line feeds
      --raw-output0       -r with NUL after each output
  -a, --ascii-output      only ASCII, with escapes
  -S, --sort-keys         members in the order of their keys
  -M, --monochrome-output never colours (we have none)
      --tab, --indent n   the indentation
      --stream            inputs as a stream of paths and leaves
      --seq               a record separator before each output
  -e, --exit-status       exit code 1 for false or null, 4 for no output
  -f, --from-file file    read the filter from a file
      --arg name value    $name is a string
      --argjson name json $name is a JSON value
      --slurpfile name f  $name is an array of the values in a file
      --rawfile name f    $name is the text of a file
      --args, --jsonargs  the remaining arguments are $ARGS.positional
  -V, --version           the version
  -h, --help              this
";

#[derive(Default)]
struct Found {
    filter: Option<String>,
    from_file: bool,
    rest: Rest,
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Rest {
    #[default]
    Files,
    Strings,
    Json,
}

/// Parses a command line. In restricted mode options that read files are refused.
pub fn parse(args: &[String], restricted: bool) -> Parsed {
    let mut options = Options {
        filter: String::new(),
        files: Vec::new(),
        mode: Mode::default(),
        null_input: false,
        stream: false,
        layout: Layout {
            indent: Some("  ".to_owned()),
            sort_keys: false,
            ascii: false,
        },
        raw: false,
        after: "\n",
        seq: false,
        exit_status: false,
        named: Vec::new(),
        positional: Vec::new(),
    };
    let mut found = Found::default();
    let mut args = args.iter();
    let mut only_words = false;
    while let Some(arg) = args.next() {
        let option = !only_words && arg.len() > 1 && arg.starts_with('-');
        if !option {
            if let Err(complaint) = word(&mut options, &mut found, arg) {
                return complaint.into();
            }
            continue;
        }
        if arg == "--" {
            only_words = true;
            continue;
        }
        let done = match arg.strip_prefix("--") {
            Some(long) => long_option(&mut options, &mut found, long, &mut args, restricted),
            None => short_options(&mut options, &mut found, &arg[1..], &mut args),
        };
        match done {
            Ok(None) => {}
            Ok(Some(text)) => return Parsed::Show(text),
            Err(complaint) => return complaint.into(),
        }
    }
    finish(options, found, restricted)
}

fn finish(mut options: Options, found: Found, restricted: bool) -> Parsed {
    let Some(mut filter) = found.filter else {
        return Parsed::Wrong(format!("{USAGE}Try jq --help for more information.\n"));
    };
    if restricted && (found.from_file || !found.files.is_empty()) {
        return Parsed::Wrong(usage("files cannot be read here"));
    }
    if found.from_file {
        filter = match fs::read_to_string(&filter) {
            Ok(text) => text,
            Err(e) => {
                return Parsed::Wrong(format!(
                    "jq: error: Could not open {filter}: {}\n",
                    plainly(&e)
                ));
            }
        };
    }
    options.filter = filter;
    options.files = found.files;
    Parsed::Run(Box::new(options))
}

enum Complaint {
    Usage(String),
    Plain(String),
}

impl From<Complaint> for Parsed {
    fn from(complaint: Complaint) -> Self {
        Self::Wrong(match complaint {
            Complaint::Usage(why) => usage(&why),
            Complaint::Plain(why) => format!("jq: {why}\n"),
        })
    }
}

fn usage(why: &str) -> String {
    format!(
        "jq: error: {why}\nUse jq --help for help with command-line options,\nor see the jq manual\n"
    )
}

fn word(options: &mut Options, found: &mut Found, arg: &str) -> Result<(), Complaint> {
    if found.filter.is_none() {
        found.filter = Some(arg.to_owned());
        return Ok(());
    }
    match found.rest {
        Rest::Files => found.files.push(PathBuf::from(arg)),
        Rest::Strings => options.positional.push(V::from(arg)),
        Rest::Json => {
            let value = read::one(arg).map_err(|_| {
                Complaint::Usage(format!("invalid JSON text passed to --jsonargs: {arg}"))
            })?;
            options.positional.push(value);
        }
    }
    Ok(())
}

type Args<'a> = std::slice::Iter<'a, String>;

fn short_options(
    options: &mut Options,
    found: &mut Found,
    letters: &str,
    args: &mut Args<'_>,
) -> Result<Option<String>, Complaint> {
    for letter in letters.chars() {
        let long = match letter {
            's' => "slurp",
            'r' => "raw-output",
            'j' => "join-output",
            'c' => "compact-output",
            'C' => "color-output",
            'M' => "monochrome-output",
            'a' => "ascii-output",
            'n' => "null-input",
            'f' => "from-file",
            'S' => "sort-keys",
            'R' => "raw-input",
            'e' => "exit-status",
            'b' => "binary",
            'h' => "help",
            'V' => "version",
            'L' => "library-path",
            _ => return Err(Complaint::Usage(format!("Unknown option: -{letters}"))),
        };
        if let Some(text) = long_option(options, found, long, args, false)? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

fn long_option(
    options: &mut Options,
    found: &mut Found,
    name: &str,
    args: &mut Args<'_>,
    restricted: bool,
) -> Result<Option<String>, Complaint> {
    match name {
        "slurp" => options.mode.slurp = true,
        "raw-input" => options.mode.raw = true,
        "null-input" => options.null_input = true,
        "stream" => options.stream = true,
        "raw-output" => options.raw = true,
        "join-output" => (options.raw, options.after) = (true, ""),
        "raw-output0" => (options.raw, options.after) = (true, "\0"),
        "compact-output" => options.layout.indent = None,
        "ascii-output" => options.layout.ascii = true,
        "sort-keys" => options.layout.sort_keys = true,
        "tab" => options.layout.indent = Some("\t".to_owned()),
        "indent" => options.layout.indent = indent(args.next())?,
        "seq" => options.seq = true,
        "exit-status" => options.exit_status = true,
        "color-output" | "monochrome-output" | "unbuffered" | "binary" => {}
        "library-path" => {
            args.next();
        }
        "from-file" => found.from_file = true,
        "args" => found.rest = Rest::Strings,
        "jsonargs" => found.rest = Rest::Json,
        "arg" | "argjson" | "slurpfile" | "rawfile" => {
            let (Some(variable), Some(value)) = (args.next(), args.next()) else {
                let example = if name == "slurpfile" || name == "rawfile" {
                    "filename"
                } else {
                    "value"
                };
                let why =
                    format!("--{name} takes two parameters (e.g. --{name} varname {example})");
                return Err(Complaint::Usage(why));
            };
            let value = named(name, variable, value, restricted)?;
            if !options.named.iter().any(|(known, _)| known == variable) {
                options.named.push((variable.clone(), value));
            }
        }
        "help" => return Ok(Some(format!("{USAGE}{OPTIONS}"))),
        "version" => return Ok(Some(format!("{VERSION}\n"))),
        _ => return Err(Complaint::Usage(format!("Unknown option: --{name}"))),
    }
    Ok(None)
}

fn indent(number: Option<&String>) -> Result<Option<String>, Complaint> {
    match number.map(|n| n.parse::<i64>()) {
        None => Err(Complaint::Usage("--indent takes one parameter".to_owned())),
        Some(Ok(0)) => Ok(None),
        Some(Ok(n @ 1..=7)) => Ok(Some(" ".repeat(n as usize))),
        Some(_) => Err(Complaint::Usage(
            "--indent takes a number between 0 and 7".to_owned(),
        )),
    }
}

fn named(option: &str, name: &str, value: &str, restricted: bool) -> Result<V, Complaint> {
    if restricted && option.ends_with("file") {
        return Err(Complaint::Usage("files cannot be read here".to_owned()));
    }
    match option {
        "arg" => Ok(V::from(value)),
        "argjson" => read::one(value).map_err(|_| {
            Complaint::Usage(format!("invalid JSON text passed to --argjson: {name}"))
        }),
        _ => {
            let bad = |why: String| {
                Complaint::Plain(format!("Bad JSON in --{option} {name} {value}: {why}"))
            };
            let bytes = fs::read(value)
                .map_err(|e| bad(format!("Could not open {value}: {}", plainly(&e))))?;
            if option == "rawfile" {
                Ok(V::text(String::from_utf8_lossy(&bytes)))
            } else {
                read::all(&bytes)
                    .map(V::array)
                    .map_err(|e| bad(e.to_string()))
            }
        }
    }
}
