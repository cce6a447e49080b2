//! The tools' calls.

use std::sync::Arc;

use linkspan_acp::client::names;
use linkspan_local::Caller;
use linkspan_wire::{Json, JsonKind, Message, Object, quote};
use tokio::sync::oneshot;

use crate::arguments::Args;
use crate::error::ToolError;
use crate::prompt::{self, Prompt};
use crate::results::{finished, mode_names, result, session_id};
use crate::running::{RunningAgent, member};
use crate::server::AgentServer;

type CallResult = Result<String, ToolError>;

impl AgentServer {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Json<'_>,
        token: Option<String>,
        caller: Caller,
    ) -> CallResult {
        let args = Args(arguments);
        match tool {
            "start_session" => self.start_session(args, &caller).await,
            "prompt" => self.prompt(args, token, caller).await,
            "cancel" => self.cancel(args).await,
            "close_session" => self.close_session(args).await,
            "list_sessions" => self.list_sessions(args, &caller).await,
            "load_session" => self.load_session(args, &caller).await,
            "set_mode" => self.set_mode(args).await,
            "set_option" => self.set_option(args).await,
            _ => self.authenticate(args, &caller).await,
        }
    }

    async fn start_session(&self, args: Args<'_>, caller: &Caller) -> CallResult {
        args.only(&["cwd", "mcpServers", "mode"])?;
        let mode = args.text("mode")?;
        let running = self.agent(caller).await?;
        let id = self.new_session(&running, &args, caller).await?;
        if let Some(mode) = mode {
            self.switch_mode(&running, &id, &mode).await?;
        }
        Ok(self.described(&running, &id, "started"))
    }

    /// Starts a session.
    async fn new_session(
        &self,
        running: &Arc<RunningAgent>,
        args: &Args<'_>,
        caller: &Caller,
    ) -> Result<String, ToolError> {
        if running.sessions.is_full() {
            return Err(ToolError::TooManySessions);
        }
        let cwd = self.cwd(args.text("cwd")?.as_deref(), caller).await?;
        let servers = self.servers(args, running)?;
        let params = Object::empty()
            .with("cwd", &quote(&cwd))
            .with("mcpServers", &servers)
            .text();
        let (sender, answer) = oneshot::channel();
        let (agent, options) = (running.clone(), self.options.clone());
        // In a task of its own: it closes the new session if the caller has disconnected meanwhile.
        tokio::spawn(async move {
            let answer = agent.ask_soon(names::NEW, &params, &options).await;
            if let Err(Ok(answer)) = sender.send(answer)
                && let Some(id) = session_id(&answer).filter(|_| agent.hello.close)
            {
                let params = Object::empty().with("sessionId", &quote(&id)).text();
                let _ = agent.ask_soon(names::CLOSE, &params, &options).await;
            }
        });
        let answer = answer.await.map_err(|_| ToolError::NoSession)??;
        let id = session_id(&answer).ok_or(ToolError::NoSessionId)?;
        if !running.sessions.add(&id, &cwd) {
            return Err(ToolError::SessionIdInUse(id));
        }
        self.learn(running, &id, &answer).await;
        Ok(id)
    }

    /// Stores the modes, models and options of a new session.
    async fn learn(&self, running: &RunningAgent, id: &str, answer: &Message) {
        let modes = member(answer, "modes", JsonKind::Object);
        let options = member(answer, "configOptions", JsonKind::Array);
        let current = modes.as_deref().and_then(|modes| {
            let current = Json::parse(modes).ok()?.get("currentModeId")?.as_str()?;
            Some(current.into_owned())
        });
        self.features
            .learn_session(modes.is_some(), options.is_some());
        running.sessions.with(id, |session| {
            session.modes = modes;
            session.mode = current.or(session.mode.take());
            session.models = member(answer, "models", JsonKind::Object);
            session.options = options;
        });
        self.tools_may_have_changed().await;
    }

    /// The result that describes a session.
    fn described(&self, running: &RunningAgent, id: &str, what: &str) -> String {
        let described = running.sessions.with(id, |session| {
            let mode = session.mode.as_deref();
            let structured = Object::empty()
                .with("sessionId", &quote(id))
                .with("cwd", &quote(&session.cwd))
                .with_some("mode", mode.map(quote).as_deref())
                .with_some("modes", session.modes.as_deref())
                .with_some("models", session.models.as_deref())
                .with_some("configOptions", session.options.as_deref());
            let mut text = format!("Session {id} {what} in {}.", session.cwd);
            let names = session.modes.as_deref().map(mode_names).unwrap_or_default();
            if !names.is_empty() {
                text.push_str(&format!(" Modes: {}.", names.join(", ")));
            }
            if let Some(mode) = mode {
                text.push_str(&format!(" It is in mode {mode}."));
            }
            (text, structured.text())
        });
        let (text, structured) = described.unwrap_or_default();
        result(&[text], &[], &structured)
    }

    fn servers(&self, args: &Args<'_>, running: &RunningAgent) -> Result<String, ToolError> {
        let names = args.texts("mcpServers")?;
        self.options
            .servers
            .entries(names.as_deref(), &running.hello)
    }

    async fn prompt(&self, args: Args<'_>, token: Option<String>, caller: Caller) -> CallResult {
        args.only(&["sessionId", "text", "content", "cwd"])?;
        let given = args.text("sessionId")?;
        if given.is_some() && args.text("cwd")?.is_some() {
            return Err(ToolError::CwdOfOpenSession);
        }
        let running = match &given {
            Some(id) => self.with_session(id).await?,
            None => self.agent(&caller).await?,
        };
        let content = args.content(&running)?;
        let session = match &given {
            Some(id) => id.clone(),
            None => self.new_session(&running, &args, &caller).await?,
        };
        let prompt = Prompt {
            session: session.clone(),
            content,
            token,
        };
        let outcome = prompt::run(&running, prompt, caller).await?;
        finished(&running, &session, given.is_none(), outcome)
    }

    async fn cancel(&self, args: Args<'_>) -> CallResult {
        args.only(&["sessionId"])?;
        let id = args.needed("sessionId")?;
        let running = self.with_session(&id).await?;
        let (text, cancelled) = match prompt::cancel(&running, &id).await {
            None => ("No prompt was running in this session.", "false"),
            Some(true) => ("The prompt was cancelled and has ended.", "true"),
            Some(false) => (
                "The agent was asked to stop and has not stopped yet.",
                "true",
            ),
        };
        let structured = Object::empty()
            .with("sessionId", &quote(&id))
            .with("cancelled", cancelled)
            .text();
        Ok(result(&[text.to_owned()], &[], &structured))
    }

    async fn close_session(&self, args: Args<'_>) -> CallResult {
        args.only(&["sessionId"])?;
        let id = args.needed("sessionId")?;
        let running = self.with_session(&id).await?;
        prompt::cancel(&running, &id).await;
        let params = Object::empty().with("sessionId", &quote(&id)).text();
        let closed = if running.hello.close {
            let answer = running.ask_soon(names::CLOSE, &params, &self.options);
            answer.await.map(drop)
        } else {
            Ok(())
        };
        // Even if the agent refuses: the client does not use the session any more.
        running.sessions.remove(&id);
        closed?;
        let structured = Object::empty()
            .with("sessionId", &quote(&id))
            .with("closed", "true")
            .text();
        Ok(result(
            &[format!("Session {id} is closed.")],
            &[],
            &structured,
        ))
    }

    async fn list_sessions(&self, args: Args<'_>, caller: &Caller) -> CallResult {
        args.only(&["stored", "cursor"])?;
        let stored = args.flag("stored")?;
        let running = if stored {
            Some(self.agent(caller).await?)
        } else {
            self.launcher.running().await
        };
        let open = running.as_ref().map(|r| r.sessions.list());
        let open = open.unwrap_or_default();
        let mut text = if open.is_empty() {
            "No sessions are open.".to_owned()
        } else {
            format!("{} open: [{}]", open.len(), open.join(","))
        };
        let mut structured = Object::empty().with("sessions", &format!("[{}]", open.join(",")));
        if let Some(running) = running.filter(|_| stored) {
            if !running.hello.list {
                return Err(ToolError::CannotList);
            }
            let cursor = args.text("cursor")?.map(|cursor| quote(&cursor));
            let params = Object::empty()
                .with_some("cursor", cursor.as_deref())
                .text();
            let answer = running
                .ask_soon(names::LIST, &params, &self.options)
                .await?;
            let kept =
                member(&answer, "sessions", JsonKind::Array).unwrap_or_else(|| "[]".to_owned());
            text.push_str(&format!("\nStored: {kept}"));
            structured = structured.with("stored", &kept).with_some(
                "nextCursor",
                member(&answer, "nextCursor", JsonKind::String).as_deref(),
            );
        }
        Ok(result(&[text], &[], &structured.text()))
    }

    async fn load_session(&self, args: Args<'_>, caller: &Caller) -> CallResult {
        args.only(&["sessionId", "cwd", "mcpServers"])?;
        let id = args.needed("sessionId")?;
        let running = self.agent(caller).await?;
        let method = match (running.hello.resume, running.hello.load) {
            // Resuming does not send the whole history again.
            (true, _) => names::RESUME,
            (false, true) => names::LOAD,
            (false, false) => return Err(ToolError::CannotLoad),
        };
        if running.sessions.has(&id) {
            return Err(ToolError::AlreadyOpen(id));
        }
        if running.sessions.is_full() {
            return Err(ToolError::TooManySessions);
        }
        let cwd = self.cwd(args.text("cwd")?.as_deref(), caller).await?;
        let params = Object::empty()
            .with("sessionId", &quote(&id))
            .with("cwd", &quote(&cwd))
            .with("mcpServers", &self.servers(&args, &running)?)
            .text();
        let answer = running.ask_soon(method, &params, &self.options).await?;
        if !running.sessions.add(&id, &cwd) {
            return Err(ToolError::AlreadyOpen(id));
        }
        self.learn(&running, &id, &answer).await;
        Ok(self.described(&running, &id, "loaded"))
    }

    async fn set_mode(&self, args: Args<'_>) -> CallResult {
        args.only(&["sessionId", "mode"])?;
        let (id, mode) = (args.needed("sessionId")?, args.needed("mode")?);
        let running = self.with_session(&id).await?;
        self.switch_mode(&running, &id, &mode).await?;
        Ok(self.described(&running, &id, "changed"))
    }

    async fn set_option(&self, args: Args<'_>) -> CallResult {
        args.only(&["sessionId", "option", "value"])?;
        let (id, option) = (args.needed("sessionId")?, args.needed("option")?);
        let value = args.needed("value")?;
        let running = self.with_session(&id).await?;
        let params = Object::empty()
            .with("sessionId", &quote(&id))
            .with("configId", &quote(&option))
            .with("value", &quote(&value))
            .text();
        let answer = running
            .ask_soon(names::SET_OPTION, &params, &self.options)
            .await?;
        running.sessions.with(&id, |session| {
            // One option may change the values of others.
            let options = member(&answer, "configOptions", JsonKind::Array);
            session.options = options.or(session.options.take());
        });
        Ok(self.described(&running, &id, "changed"))
    }

    async fn switch_mode(
        &self,
        running: &RunningAgent,
        id: &str,
        mode: &str,
    ) -> Result<(), ToolError> {
        let modes = running.sessions.with(id, |session| session.modes.clone());
        let Some(modes) = modes.flatten() else {
            return Err(ToolError::NoModes(id.to_owned()));
        };
        let names = mode_names(&modes);
        if !names.iter().any(|name| name == mode) {
            return Err(ToolError::UnknownMode {
                id: id.to_owned(),
                mode: mode.to_owned(),
                known: names,
            });
        }
        let params = Object::empty()
            .with("sessionId", &quote(id))
            .with("modeId", &quote(mode))
            .text();
        running
            .ask_soon(names::SET_MODE, &params, &self.options)
            .await?;
        running
            .sessions
            .with(id, |session| session.mode = Some(mode.to_owned()));
        Ok(())
    }

    async fn authenticate(&self, args: Args<'_>, caller: &Caller) -> CallResult {
        args.only(&["methodId"])?;
        let id = args.needed("methodId")?;
        let running = self.agent(caller).await?;
        let auth = &running.hello.auth;
        let Some(method) = auth.iter().find(|method| method.id == id) else {
            let known = auth.iter().map(|method| method.id.clone()).collect();
            return Err(ToolError::UnknownAuthMethod { id, known });
        };
        if method.terminal {
            return Err(ToolError::TerminalOnly(method.name.clone()));
        }
        let params = Object::empty().with("methodId", &quote(&id)).text();
        // Without a timeout: the user may have to log in with a browser.
        let answer = running.connection.ask(names::AUTHENTICATE, &params).await;
        running.result(answer)?;
        let structured = Object::empty()
            .with("methodId", &quote(&id))
            .with("authenticated", "true")
            .text();
        let text = "Logged in to the agent.".to_owned();
        Ok(result(&[text], &[], &structured))
    }

    /// The agent that has this session.
    async fn with_session(&self, id: &str) -> Result<Arc<RunningAgent>, ToolError> {
        let running = self.launcher.running().await;
        match running.filter(|running| running.sessions.has(id)) {
            Some(running) => Ok(running),
            None => Err(match self.launcher.ended().await {
                Some(why) => ToolError::SessionGone {
                    id: id.to_owned(),
                    why,
                },
                None => ToolError::UnknownSession(id.to_owned()),
            }),
        }
    }
}
