//! `tools/call`

use linkspan_local::{Call, Params, tool_call};
use linkspan_wire::{Json, RpcError};
use serde_json::Value;

use super::connection::Connection;
use super::defaults;
use super::jobs::{RunRequest, asked_timeout, find, meta, object, progress_token};
use crate::folder::{Mode, Tool};
use crate::run::result::{refusal, tool_result, worker_result};
use crate::worker::Task;

impl Connection {
    pub(super) async fn call_tool(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let (name, given) = tool_call(params)?;
        let snapshot = self.folder.snapshot();
        let is_tool = |tool: &Tool| tool.name == *name && !matches!(tool.mode, Mode::Mcp(_));
        let Some(tool) = find(&snapshot.catalogue.tools, is_tool) else {
            let (context, all) = (self.mount_context(call.caller()), params.to_string());
            let taken = self
                .mounts
                .call(&snapshot.catalogue, &name, &all, &context)
                .await;
            let unknown = || RpcError::invalid_params(format!("unknown tool: {name}"));
            return taken.unwrap_or_else(|| Err(unknown()));
        };
        let mut arguments = object(given)?;
        if let Some(schema) = &tool.input {
            let value = Value::Object(arguments.clone());
            let wrong = schema.check(&value);
            if !wrong.is_empty() {
                // An error result instead of a protocol error: the model can correct the arguments.
                let why = format!("invalid arguments for `{name}`:\n{}", wrong.join("\n"));
                return Ok(refusal(&why));
            }
        }
        let filled = defaults::fill(tool, &mut arguments, given.text());
        let spelled = filled.as_deref().unwrap_or(given.text());
        let request = RunRequest {
            name: &tool.name,
            program: &tool.program,
            run: &tool.run,
            spelled,
            further: Vec::new(),
            env: Vec::new(),
            meta: meta(params),
        };
        match &tool.mode {
            Mode::Once => {
                let outcome = self.perform(request, call).await?;
                Ok(tool_result(tool, &outcome, self.revision()))
            }
            Mode::Worker(settings) => {
                let task = Task {
                    arguments: spelled.to_owned(),
                    meta: request.meta.map_or("{}", Json::text).to_owned(),
                    token: progress_token(request.meta),
                    timeout: asked_timeout(request.meta, &tool.run),
                };
                let observer = self.observer(&request, call.caller());
                let (pools, runner) = (&self.folder.pools, &self.folder.runner);
                let answer = pools.call(runner, tool, settings, task, observer).await?;
                worker_result(tool, &answer, self.revision())
            }
            Mode::Mcp(_) => Err(RpcError::invalid_params(format!("unknown tool: {name}"))),
        }
    }
}
