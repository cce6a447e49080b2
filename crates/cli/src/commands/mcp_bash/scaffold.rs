//! `mcp-bash scaffold`

use std::collections::VecDeque;
use std::path::Path;

use linkspan_mcp_bash::Places;
use linkspan_mcp_bash::author::scaffold::{Kind, Registered, register, scaffold, scaffold_tests};
use linkspan_scripts::author::names;

use super::{failed, flag, init, root, unexpected, usage, value, vars};
use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let word = words.pop_front().unwrap_or_default();
    let kind = match word.as_str() {
        "server" => return init::new(words),
        "test" => None,
        "tool" => Some(Kind::Tool {
            ui: flag(&mut words, "--ui"),
        }),
        "prompt" => Some(Kind::Prompt),
        "resource" => Some(Kind::Resource),
        "completion" => Some(Kind::Completion),
        "ui" => Some(Kind::Ui {
            of_tool: value(&mut words, "--tool")?,
        }),
        _ => {
            return Err(usage(
                "scaffold server|tool|prompt|resource|completion|ui NAME, or scaffold test",
            ));
        }
    };
    let root = root(&mut words)?;
    let Some(kind) = kind else {
        unexpected("scaffold test", &words)?;
        return test(&root);
    };
    let name = words.pop_front().filter(|name| !name.is_empty());
    unexpected(&format!("scaffold {word}"), &words)?;
    let name = name.or_else(|| match &kind {
        Kind::Ui { of_tool } => of_tool.clone(),
        _ => None,
    });
    let name = name.ok_or_else(|| {
        let what = names::title(&word);
        Failure::new(Exit::Invalid, format!("{what} name required"))
            .hint(format!("mcp-bash scaffold {word} NAME"))
    })?;
    let places = Places::of(&root, &vars());
    let folder = scaffold(&places, &kind, &name).map_err(failed)?;
    say!("Scaffolded {word} at {}", shown(&folder));
    match kind {
        Kind::Tool { .. } => say!("\nNext:\n  mcp-bash run-tool {name} --allow-self"),
        Kind::Completion => match register(&places, &name).map_err(failed)? {
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
    let folder = scaffold_tests(root).map_err(failed)?;
    say!("Scaffolded tests at {}", shown(&folder));
    say!("\nNext:\n  add calls of run_test to test/run.sh\n  ./test/run.sh");
    Ok(0)
}
