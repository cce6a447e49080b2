//! The verbs that write files: their words, and the lines for the author, which `tell` gets one by one.

use std::io;
use std::path::{Path, PathBuf};

use linkspan_scripts::author::names;

use super::error::shown;
use super::scaffold::{Kind, Registered, register, scaffold, scaffold_tests};
use super::skeleton::{Step, create_server, write_skeleton};
use super::{AuthorError, UsageError, Words};
use crate::{Places, Vars};

/// `init [--name NAME] [--no-hello]`: a project in the current folder, which is `here`.
pub fn init(
    mut words: Words,
    here: io::Result<PathBuf>,
    tell: &dyn Fn(&str),
) -> Result<(), AuthorError> {
    let name = words.value("--name")?;
    let hello = !words.flag("--no-hello");
    words.end("init")?;
    let here = here.map_err(|source| AuthorError::write(Path::new("."), source))?;
    let name = name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| names::of_folder(&here));
    tell(&format!("Making a project of {}\n", shown(&here)));
    write_skeleton(&here, &name, hello, &|step, path| tell(&line(step, path)))?;
    tell("\nNext:\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor");
    Ok(())
}

/// `new NAME [--no-hello]`, or `scaffold server NAME`: in a folder of its own below `here`.
pub fn new(mut words: Words, here: &Path, tell: &dyn Fn(&str)) -> Result<(), AuthorError> {
    let hello = !words.flag("--no-hello");
    let name = words.take_name();
    words.end("new")?;
    let name = name.ok_or_else(|| UsageError::NoName {
        what: "Server".to_owned(),
        example: "mcp-bash new NAME".to_owned(),
    })?;
    let root = create_server(here, &name)?;
    tell(&format!("Created ./{name}/\n"));
    write_skeleton(&root, &name, hello, &|step, path| tell(&line(step, path)))?;
    tell(&format!(
        "\nNext:\n  cd {name}\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor\n  mcp-bash bundle"
    ));
    Ok(())
}

fn line(step: Step, path: &Path) -> String {
    match step {
        Step::Made => format!("  made {}", shown(path)),
        Step::Kept => format!("  kept {}", shown(path)),
    }
}

/// `scaffold KIND NAME`: an entry of a project; `here` is the current folder.
pub fn scaffold_entry(
    mut words: Words,
    vars: &Vars,
    here: Option<&Path>,
    tell: &dyn Fn(&str),
) -> Result<(), AuthorError> {
    let word = words.take().unwrap_or_default();
    let kind = match word.as_str() {
        "server" => return new(words, here.unwrap_or(Path::new("")), tell),
        "test" => None,
        "tool" => Some(Kind::Tool {
            ui: words.flag("--ui"),
        }),
        "prompt" => Some(Kind::Prompt),
        "resource" => Some(Kind::Resource),
        "completion" => Some(Kind::Completion),
        "ui" => Some(Kind::Ui {
            of_tool: words.value("--tool")?,
        }),
        _ => {
            let form = "scaffold server|tool|prompt|resource|completion|ui NAME, or scaffold test";
            return Err(UsageError::Form(form).into());
        }
    };
    let root = words.project(vars, here)?;
    let Some(kind) = kind else {
        words.end("scaffold test")?;
        tell(&format!(
            "Scaffolded tests at {}",
            shown(&scaffold_tests(&root)?)
        ));
        tell("\nNext:\n  add calls of run_test to test/run.sh\n  ./test/run.sh");
        return Ok(());
    };
    let name = words.take_name();
    words.end(&format!("scaffold {word}"))?;
    let name = name.or_else(|| match &kind {
        Kind::Ui { of_tool } => of_tool.clone(),
        _ => None,
    });
    let name = name.ok_or_else(|| UsageError::NoName {
        what: names::title(&word),
        example: format!("mcp-bash scaffold {word} NAME"),
    })?;
    let places = Places::of(&root, vars);
    let folder = scaffold(&places, &kind, &name)?;
    tell(&format!("Scaffolded {word} at {}", shown(&folder)));
    match kind {
        Kind::Tool { .. } => tell(&format!("\nNext:\n  mcp-bash run-tool {name} --allow-self")),
        Kind::Completion => tell(&match register(&places, &name)? {
            Registered::In(file) => format!("Registered it in {}", shown(&file)),
            Registered::ByHand(entry) => format!(
                "\nAdd this to the completions that server.d/register.sh registers:\n  {entry}"
            ),
        }),
        Kind::Prompt | Kind::Resource | Kind::Ui { .. } => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn words(line: &str) -> Words {
        line.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn a_new_project_gets_entries_and_its_author_the_next_steps() {
        let here = tempfile::tempdir().unwrap();
        let told = RefCell::new(Vec::new());
        let tell = |line: &str| told.borrow_mut().push(line.to_owned());
        new(words("mine --no-hello"), here.path(), &tell).unwrap();
        let root = here.path().join("mine");
        assert!(root.join("server.d/server.meta.json").is_file());
        assert_eq!(told.borrow()[0], "Created ./mine/\n");
        let vars = Vars::default();
        scaffold_entry(words("completion one"), &vars, Some(&root), &tell).unwrap();
        let last = told.borrow().last().cloned().unwrap();
        assert!(last.ends_with("register.json"), "{last}");
        assert!(root.join("completions/one/completion.sh").is_file());
    }

    #[test]
    fn a_wrong_line_is_refused_before_a_file_is_written() {
        let here = tempfile::tempdir().unwrap();
        let tell = |line: &str| panic!("{line}");
        let refused = |line: &str| {
            let here = Some(here.path());
            scaffold_entry(words(line), &Vars::default(), here, &tell).unwrap_err()
        };
        assert!(matches!(
            refused("thing x"),
            AuthorError::Usage(UsageError::Form(_))
        ));
        assert!(matches!(
            refused("tool x"),
            AuthorError::Usage(UsageError::NoProject)
        ));
        let error = init(words("more"), Ok(here.path().into()), &tell).unwrap_err();
        assert!(matches!(
            error,
            AuthorError::Usage(UsageError::Unexpected { .. })
        ));
        assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
    }
}
