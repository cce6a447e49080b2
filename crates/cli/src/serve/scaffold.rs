//! `linkspan new` and `linkspan scaffold`: files to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use linkspan_scripts::draft::{Draft, create_folders};

use crate::exit::{Exit, Failure};
use crate::serve::names;
use crate::serve::templates::{self, Lang, fill};
use crate::show::{path as shown, say};

const SCAFFOLD_HELP: &str = "\
Writes files to begin with, and never over a file that is there. NAME is letters, digits, _ and -; a
completion is called PROMPT.ARGUMENT after what it completes.

  tool        tools/NAME/ with the tool, its metadata and a README
  prompt      prompts/NAME.md, a text with {{arguments}}; with --lang a program
  resource    resources/NAME.md and its metadata; with --lang a program
  completion  completions/PROMPT.ARGUMENT.sh, a program

Examples:
  linkspan scaffold tool weather my-server
  linkspan scaffold tool forecast my-server --lang python
  linkspan scaffold prompt explain my-server
  linkspan scaffold completion explain.language my-server --lang node";

// `linkspan new`
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder to create; it must be empty or missing
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Language of its first tool
    #[arg(long, value_enum, default_value = "bash")]
    lang: Lang,
}

// `linkspan scaffold`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(SCAFFOLD_HELP))]
pub(crate) struct ScaffoldArgs {
    /// What to add
    #[arg(value_enum)]
    kind: Kind,
    /// Its name
    name: String,
    /// The folder; the current one by default
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Language to write it in
    #[arg(long, value_enum)]
    lang: Option<Lang>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Tool,
    Prompt,
    Resource,
    Completion,
}

pub(crate) fn new(args: &NewArgs) -> Result<Exit, Failure> {
    let dir = &args.dir;
    if occupied(dir)? {
        return Err(
            Failure::usage(format!("{} is not empty", shown(dir))).hint(format!(
                "linkspan scaffold tool NAME {} adds to an existing folder",
                shown(dir)
            )),
        );
    }
    create_folders(dir).map_err(|e| cannot_write(dir, &e))?;
    let name = names::of_folder(dir);
    let title = names::title(&name);
    let fields = [("@NAME@", &*name), ("@TITLE@", &title)];
    let hello = Draft::program(
        format!("tools/hello.{}", args.lang.ending()),
        fill(
            args.lang.tool(),
            &[("@NAME@", "hello"), ("@META@", "hello.meta.yaml")],
        ),
    );
    let about = [("@NAME@", "hello"), ("@TITLE@", "Hello")];
    write(
        dir,
        vec![
            Draft::text("server.yaml", fill(templates::SERVER, &fields)),
            Draft::text("README.md", fill(templates::SERVER_README, &fields)),
            hello,
            Draft::text("tools/hello.meta.yaml", fill(templates::TOOL_META, &about)),
            Draft::text(
                "prompts/review.md",
                fill(templates::PROMPT, &[("@TITLE@", "Review")]),
            ),
            Draft::text(
                "completions/review.language",
                templates::LANGUAGES.to_owned(),
            ),
            Draft::text(
                "resources/about.md",
                fill(
                    templates::RESOURCE,
                    &[("@TITLE@", &title), ("@META@", "about.meta.yaml")],
                ),
            ),
            Draft::text(
                "resources/about.meta.yaml",
                fill(
                    templates::RESOURCE_META,
                    &[
                        ("@NAME@", "about"),
                        ("@TITLE@", "About"),
                        ("@MIME@", "text/markdown"),
                    ],
                ),
            ),
        ],
    )?;
    let dir = shown(dir);
    say!(
        "\nNext:\n  linkspan validate {dir}\n  linkspan run-tool {dir} hello --args '{{\"name\":\"you\"}}'\n  linkspan config {dir}"
    );
    Ok(Exit::Ok)
}

pub(crate) fn scaffold(args: &ScaffoldArgs) -> Result<Exit, Failure> {
    let dir = &args.dir;
    if !dir.is_dir() {
        return Err(Failure::usage(format!("{} is not a folder", shown(dir)))
            .hint(format!("linkspan new {} makes one", shown(dir))));
    }
    let drafts = match args.kind {
        Kind::Tool => tool(&args.name, args.lang)?,
        Kind::Prompt => prompt(&args.name, args.lang)?,
        Kind::Resource => resource(&args.name, args.lang)?,
        Kind::Completion => completion(&args.name, args.lang)?,
    };
    names::not_taken(dir, drafts.iter().map(|draft| &*draft.path), &args.name)?;
    write(dir, drafts)?;
    let folder = shown(dir);
    say!("\nNext:\n  linkspan validate {folder}");
    if args.kind == Kind::Tool {
        let name = &args.name;
        say!("  linkspan run-tool {folder} {name} --args '{{\"name\":\"you\"}}'");
    }
    Ok(Exit::Ok)
}

fn tool(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, Failure> {
    names::check(name)?;
    let lang = lang.unwrap_or(Lang::Bash);
    let file = format!("tool.{}", lang.ending());
    let title = names::title(name);
    let fields = [
        ("@NAME@", name),
        ("@TITLE@", &title),
        ("@FILE@", &file),
        ("@META@", "tool.meta.yaml"),
    ];
    Ok(vec![
        Draft::program(format!("tools/{name}/{file}"), fill(lang.tool(), &fields)),
        Draft::text(
            format!("tools/{name}/tool.meta.yaml"),
            fill(templates::TOOL_META, &fields),
        ),
        Draft::text(
            format!("tools/{name}/README.md"),
            fill(templates::TOOL_README, &fields),
        ),
    ])
}

fn prompt(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, Failure> {
    names::check(name)?;
    let title = names::title(name);
    let fields = [("@TITLE@", &*title)];
    Ok(vec![match lang {
        None => Draft::text(
            format!("prompts/{name}.md"),
            fill(templates::PROMPT, &fields),
        ),
        Some(lang) => Draft::program(
            format!("prompts/{name}.{}", lang.ending()),
            fill(lang.prompt(), &fields),
        ),
    }])
}

fn resource(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, Failure> {
    names::check(name)?;
    let title = names::title(name);
    let meta = format!("{name}.meta.yaml");
    let fields = [
        ("@NAME@", name),
        ("@TITLE@", &*title),
        ("@META@", &meta),
        ("@MIME@", "text/markdown"),
    ];
    Ok(vec![
        match lang {
            None => Draft::text(
                format!("resources/{name}.md"),
                fill(templates::RESOURCE, &fields),
            ),
            Some(lang) => Draft::program(
                format!("resources/{name}.{}", lang.ending()),
                fill(lang.resource(), &fields),
            ),
        },
        Draft::text(
            format!("resources/{meta}"),
            fill(templates::RESOURCE_META, &fields),
        ),
    ])
}

fn completion(name: &str, lang: Option<Lang>) -> Result<Vec<Draft>, Failure> {
    let (prompt, argument) = name.split_once('.').ok_or_else(|| {
        Failure::usage(format!("`{name}` does not say what it completes"))
            .hint("write PROMPT.ARGUMENT, for example review.language")
    })?;
    names::check(prompt)?;
    names::check(argument)?;
    let lang = lang.unwrap_or(Lang::Bash);
    let what = format!("the argument {argument} of the prompt {prompt}");
    Ok(vec![Draft::program(
        format!("completions/{name}.{}", lang.ending()),
        fill(lang.completion(), &[("@WHAT@", &what)]),
    )])
}

/// Writes all of them, or says which one is in the way before any is written.
fn write(dir: &Path, drafts: Vec<Draft>) -> Result<(), Failure> {
    for draft in &drafts {
        let path = dir.join(&draft.path);
        if path.symlink_metadata().is_ok() {
            return Err(
                Failure::new(Exit::Invalid, format!("{} already exists", shown(&path)))
                    .hint("take another name, or remove it"),
            );
        }
    }
    for draft in drafts {
        let path = dir.join(&draft.path);
        draft.write_to(&path).map_err(|e| cannot_write(&path, &e))?;
        say!("{}", shown(&path));
    }
    Ok(())
}

fn occupied(dir: &Path) -> Result<bool, Failure> {
    match fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(cannot_write(dir, &e)),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Invalid,
        format!("cannot write {}: {error}", shown(path)),
    )
    .hint("is it a folder of yours, on a disk with room?")
}
