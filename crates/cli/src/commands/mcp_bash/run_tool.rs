//! `mcp-bash run-tool`

use std::collections::VecDeque;
use std::path::PathBuf;

use linkspan_mcp::names;
use linkspan_mcp_bash::Project;
use linkspan_mcp_bash::author::run_tool::{ToolRun, check_registry};
use linkspan_mcp_bash::policy::{self, Asker};
use linkspan_scripts::host::Env;
use linkspan_wire::{Id, Json, JsonKind};

use super::{flag, folder_args, root, usage, value};
use crate::args::folder::Compat;
use crate::exit::{Exit, Failure};
use crate::folder::{self, refused};
use crate::runtime::block_on;
use crate::show::{path as shown, raw, say};
use crate::status::Status;
use linkspan_client::Client;

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let dry_run = flag(&mut words, "--dry-run");
    let wants_env = flag(&mut words, "--print-env");
    let no_refresh = flag(&mut words, "--no-refresh");
    let minimal = flag(&mut words, "--minimal");
    let _ = flag(&mut words, "--verbose");
    if flag(&mut words, "--help") {
        raw(super::USAGE);
        return Ok(0);
    }
    let run = match read(words) {
        Ok(run) => run,
        Err(why) => return complain(&why),
    };
    if minimal {
        return complain("JSON tooling required; minimal mode has no tools");
    }
    let registry = run.root.join(".registry/tools.json");
    if no_refresh && let Err(why) = check_registry(&registry) {
        return complain(&why.to_string());
    }
    if wants_env {
        return print_env(&run);
    }
    if dry_run {
        print_plan(&run);
        return Ok(0);
    }
    match run.environment(std::env::vars_os().collect()) {
        Ok(env) => call(&run, env),
        Err(why) => complain(&why.to_string()),
    }
}

fn complain(why: &str) -> Result<u8, Failure> {
    anstream::eprintln!("run-tool: {}", crate::show::indented(why, "  "));
    Ok(1)
}

fn read(mut words: VecDeque<String>) -> Result<ToolRun, String> {
    let told = |failure: Failure| failure.in_words();
    let args = value(&mut words, "--args").map_err(told)?;
    let roots = value(&mut words, "--roots").map_err(told)?;
    let timeout = value(&mut words, "--timeout").map_err(told)?;
    let mut allow = flag(&mut words, "--allow-all").then(|| "*".to_owned());
    let allow_self = flag(&mut words, "--allow-self");
    while let Some(name) = value(&mut words, "--allow").map_err(told)? {
        allow = Some(allow.map_or(name.clone(), |all| format!("{all} {name}")));
    }
    let mut source = Vec::new();
    while let Some(file) = value(&mut words, "--source").map_err(told)? {
        source.push(PathBuf::from(file));
    }
    let wanted = std::env::var("MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV");
    let wanted = wanted.is_ok_and(|wanted| wanted == "1" || wanted == "true");
    let server_env = flag(&mut words, "--with-server-env") || wanted;
    let root = root(&mut words).map_err(told)?;
    if let Some(unknown) = words.iter().find(|word| word.starts_with("--")) {
        return Err(usage(&format!("run-tool: unknown option {unknown}")).in_words());
    }
    let name = words.pop_front().ok_or("tool name required")?;
    if let Some(more) = words.pop_front() {
        return Err(format!("unexpected argument: {more}"));
    }
    if allow_self {
        allow = Some(name.clone());
    }
    let arguments = args.filter(|args| !args.is_empty());
    let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
    let is_object = Json::parse(&arguments).is_ok_and(|json| json.kind() == JsonKind::Object);
    if !is_object {
        return Err("--args must be a JSON object".to_owned());
    }
    let roots = roots.unwrap_or_default();
    let roots = roots.split(',').filter(|root| !root.is_empty());
    let roots: Result<Vec<PathBuf>, String> = roots
        .map(|root| {
            let real = std::fs::canonicalize(root);
            real.map_err(|e| format!("invalid --roots value: {root}: {e}"))
        })
        .collect();
    let whole = |file: &PathBuf| root.join(file);
    Ok(ToolRun {
        source: source.iter().map(whole).collect(),
        server_env: server_env.then(|| root.join("server.d/env.sh")),
        name,
        arguments,
        roots: roots?,
        timeout,
        allow,
        root,
    })
}

fn print_env(run: &ToolRun) -> Result<u8, Failure> {
    let installed = folder::installed()?;
    say!("MCPBASH_PROJECT_ROOT={}", shown(&run.root));
    say!("MCPBASH_HOME={}", shown(&installed.home));
    say!("MCP_SDK={}", shown(&installed.sdk));
    say!("MCPBASH_MODE=full");
    if let Some(file) = &run.server_env {
        if file.is_file() {
            say!("WILL_SOURCE_SERVER_ENV={}", shown(file));
        } else {
            say!("WILL_SOURCE_SERVER_ENV=(not found: {})", shown(file));
        }
    }
    for (n, file) in run.source.iter().enumerate() {
        say!("WILL_SOURCE[{n}]={}", shown(file));
    }
    for (n, root) in run.roots.iter().enumerate() {
        say!("ROOT[{n}]={}", shown(root));
    }
    if run.roots.is_empty() {
        say!("ROOTS=none");
    }
    Ok(0)
}

fn print_plan(run: &ToolRun) {
    say!("Tool: {}", run.name);
    say!("Args: {} bytes", run.arguments.len());
    say!("Roots: {}", run.roots.len());
    say!("Timeout: {}", run.timeout.as_deref().unwrap_or("none"));
    say!("Status: Ready to execute (nothing was run)");
}

fn call(run: &ToolRun, env: Env) -> Result<u8, Failure> {
    let tooling = folder::tooling()?;
    let vars = env.iter().cloned().collect();
    let project = Project::read(&run.root, &vars, &tooling).map_err(|e| refused(&e))?;
    let Some(tool) = project.tool(&run.name) else {
        return complain(&format!("tool not found: {}", run.name));
    };
    // The server checks this as well, but its error has advice for clients, not for a terminal.
    let leave = policy::check(
        tool,
        Asker::Terminal,
        &project.vars,
        &project.places,
        &tooling,
    );
    let printed = |answer: &_| {
        let (line, code) = run.line(answer);
        raw(&line);
        code
    };
    if let Err(error) = leave {
        return Ok(printed(&error.answer(&Id::number(0))));
    }
    let mut options = folder::options(&folder_args())?;
    options.env = env;
    let mut code = 1;
    block_on(async {
        let folder = folder::folder(&run.root, options, Compat::McpBash)?.folder;
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
