//! `mcp-bash scaffold`

use std::path::Path;

use linkspan_mcp_bash::Places;
use linkspan_mcp_bash::author::scaffold::{Kind, Registered, register, scaffold, scaffold_tests};
use linkspan_mcp_bash::author::{UsageError, Words};
use linkspan_scripts::author::names;

use super::{init, root, vars};
use crate::exit::Failure;
use crate::show::{path as shown, say};

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    let word = words.take().unwrap_or_default();
    let kind = match word.as_str() {
        "server" => return init::new(words),
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
            return Err(UsageError::Form(
                "scaffold server|tool|prompt|resource|completion|ui NAME, or scaffold test",
            )
            .into());
        }
    };
    let root = root(&mut words)?;
    let Some(kind) = kind else {
        words.end("scaffold test")?;
        return test(&root);
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
    let places = Places::of(&root, &vars());
    let folder = scaffold(&places, &kind, &name)?;
    say!("Scaffolded {word} at {}", shown(&folder));
    match kind {
        Kind::Tool { .. } => say!("\nNext:\n  mcp-bash run-tool {name} --allow-self"),
        Kind::Completion => match register(&places, &name)? {
            Registered::In(file) => say!("Registered it in {}", shown(&file)),
            Registered::ByHand(entry) => say!(
                "\nAdd this to the completions that server.d/register.sh registers:\n  {entry}"
            ),
        },
        Kind::Prompt | Kind::Resource | Kind::Ui { .. } => {}
    }
    Ok(0)
}

fn test(root: &Path) -> Result<u8, Failure> {
    let folder = scaffold_tests(root)?;
    say!("Scaffolded tests at {}", shown(&folder));
    say!("\nNext:\n  add calls of run_test to test/run.sh\n  ./test/run.sh");
    Ok(0)
}
