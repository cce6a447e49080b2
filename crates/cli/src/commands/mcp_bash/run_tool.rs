//! `mcp-bash run-tool`

use linkspan_client::Client;
use linkspan_mcp::names;
use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::run_tool::{RunToolAction, RunToolRequest, ToolRun};
use linkspan_mcp_bash::{FolderLayout, Project};
use linkspan_scripts::host::Env;

use super::{folder_args, here, vars};
use crate::environment::environment_of_children;
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::runtime::block_on;
use crate::show::{self, raw};
use crate::status::Status;

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    if words.flag("--help") {
        raw(super::USAGE);
        return Ok(0);
    }
    let request = match RunToolRequest::parse(words, &vars(), here().as_deref()) {
        Ok(request) => request,
        Err(why) => return complain(&Failure::from(why).in_words()),
    };
    if let Err(why) = request.check() {
        return complain(&why.to_string());
    }
    let run = &request.run;
    match request.action {
        RunToolAction::Call => match run.environment(environment_of_children().collect()) {
            Ok(env) => return call(run, env),
            Err(why) => return complain(&why.to_string()),
        },
        RunToolAction::PrintEnv => {
            let installed = folder::installed()?;
            show::print(|out| run.write_env(&installed, out));
        }
        RunToolAction::DryRun => show::print(|out| run.write_plan(out)),
    }
    Ok(0)
}

fn complain(why: &str) -> Result<u8, Failure> {
    anstream::eprintln!("run-tool: {}", show::indented(why, "  "));
    Ok(1)
}

fn call(run: &ToolRun, env: Env) -> Result<u8, Failure> {
    let tooling = folder::tooling()?;
    let vars = env.iter().cloned().collect();
    let project = Project::read(&run.root, &vars, &tooling)?;
    let printed = |answer: &_| {
        let (line, code) = run.line(answer);
        raw(&line);
        code
    };
    match run.refusal(&project, &tooling) {
        Ok(None) => {}
        Ok(Some(answer)) => return Ok(printed(&answer)),
        Err(why) => return complain(&why.to_string()),
    }
    let mut options = folder::options(&folder_args())?;
    options.env = env;
    let mut code = 1;
    block_on(async {
        let folder = folder::folder(&run.root, options, FolderLayout::McpBash)?.folder;
        let mut client = Client::new(folder.port(), None).observed(Status::new());
        if !run.roots.is_empty() {
            client = client.offering(&run.roots);
        }
        let done = async {
            client.open().await?;
            client.answer(names::TOOLS_CALL, Some(&run.params())).await
        };
        let done = done.await;
        client.close().await;
        folder.close().await;
        code = printed(&done?);
        Ok(Exit::Ok)
    })?;
    Ok(code)
}
