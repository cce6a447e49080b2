//! What each tool does.

use std::sync::Arc;

use linkspan_acp::client::names;
use linkspan_desk::Caller;
use linkspan_wire::{Json, JsonKind, Message, Object, quote};
use tokio::sync::oneshot;

use crate::arguments::Args;
use crate::prompt::{self, Prompt};
use crate::results::{finished, mode_names, result, session_id};
use crate::running::{Running, Trouble, member};
use crate::server::AgentDesk;
use crate::sessions::MOST;

type Answer = Result<String, Trouble>;

impl AgentDesk {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Json<'_>,
        token: Option<String>,
        caller: Caller,
    ) -> Answer {
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

    async fn start_session(&self, args: Args<'_>, caller: &Caller) -> Answer {
        args.only(&["cwd", "mcpServers", "mode"])?;
        let mode = args.text("mode")?;
        let running = self.agent(caller).await?;
        let id = self.begin(&running, &args, caller).await?;
        if let Some(mode) = mode {
            self.switch(&running, &id, &mode).await?;
        }
        Ok(self.described(&running, &id, "started"))
    }

    /// Starts a session.
    async fn begin(
        &self,
        running: &Arc<Running>,
        args: &Args<'_>,
        caller: &Caller,
    ) -> Result<String, Trouble> {
        if running.sessions.is_full() {
            return Err(format!(
                "there are {MOST} sessions already: `close_session` one of them first"
            ));
        }
        let cwd = self.cwd(args.text("cwd")?.as_deref(), caller).await?;
        let servers = self.servers(args, running)?;
        let params = Object::empty()
            .with("cwd", &quote(&cwd))
            .with("mcpServers", &servers)
            .text();
        let (tell, told) = oneshot::channel();
        let (agent, terms) = (running.clone(), self.terms.clone());
        // A task of its own: if the client does not wait, somebody has to close what was begun.
        tokio::spawn(async move {
            let answer = agent.ask_soon(names::NEW, &params, &terms).await;
            if let Err(Ok(answer)) = tell.send(answer)
                && let Some(id) = session_id(&answer).filter(|_| agent.hello.close)
            {
                let params = Object::empty().with("sessionId", &quote(&id)).text();
                let _ = agent.ask_soon(names::CLOSE, &params, &terms).await;
            }
        });
        let answer = told
            .await
            .map_err(|_| "the agent has not started a session")??;
        let id = session_id(&answer).ok_or("the agent started a session and did not say which")?;
        if !running.sessions.add(&id, &cwd) {
            return Err(format!(
                "the agent gave a new session the name of one that is open: `{id}`"
            ));
        }
        self.learn(running, &id, &answer).await;
        Ok(id)
    }

    /// Remembers what the agent says of a session that begins.
    async fn learn(&self, running: &Running, id: &str, answer: &Message) {
        let modes = member(answer, "modes", JsonKind::Object);
        let options = member(answer, "configOptions", JsonKind::Array);
        let current = modes.as_deref().and_then(|modes| {
            let current = Json::parse(modes).ok()?.get("currentModeId")?.as_str()?;
            Some(current.into_owned())
        });
        self.known.learn_session(modes.is_some(), options.is_some());
        running.sessions.with(id, |session| {
            session.modes = modes;
            session.mode = current.or(session.mode.take());
            session.models = member(answer, "models", JsonKind::Object);
            session.options = options;
        });
        self.tools_may_have_changed().await;
    }

    /// What a client is told about a session.
    fn described(&self, running: &Running, id: &str, what: &str) -> String {
        let told = running.sessions.with(id, |session| {
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
        let (text, structured) = told.unwrap_or_default();
        result(&[text], &[], &structured)
    }

    fn servers(&self, args: &Args<'_>, running: &Running) -> Result<String, Trouble> {
        let names = args.texts("mcpServers")?;
        self.terms.servers.entries(names.as_deref(), &running.hello)
    }

    async fn prompt(&self, args: Args<'_>, token: Option<String>, caller: Caller) -> Answer {
        args.only(&["sessionId", "text", "content", "cwd"])?;
        let given = args.text("sessionId")?;
        if given.is_some() && args.text("cwd")?.is_some() {
            return Err("`cwd` is for a new session; the one that you name has its own".to_owned());
        }
        let running = match &given {
            Some(id) => self.with_session(id).await?,
            None => self.agent(&caller).await?,
        };
        let content = args.content(&running)?;
        let session = match &given {
            Some(id) => id.clone(),
            None => self.begin(&running, &args, &caller).await?,
        };
        let asked = Prompt {
            session: session.clone(),
            content,
            token,
        };
        let done = prompt::run(&running, asked, caller).await?;
        finished(&running, &session, given.is_none(), done)
    }

    async fn cancel(&self, args: Args<'_>) -> Answer {
        args.only(&["sessionId"])?;
        let id = args.needed("sessionId")?;
        let running = self.with_session(&id).await?;
        let (text, cancelled) = match prompt::cancel(&running, &id).await {
            None => ("Nothing was under way in this session.", "false"),
            Some(true) => ("The prompt was cancelled and has ended.", "true"),
            Some(false) => (
                "The agent was told to stop and has not stopped yet.",
                "true",
            ),
        };
        let structured = Object::empty()
            .with("sessionId", &quote(&id))
            .with("cancelled", cancelled)
            .text();
        Ok(result(&[text.to_owned()], &[], &structured))
    }

    async fn close_session(&self, args: Args<'_>) -> Answer {
        args.only(&["sessionId"])?;
        let id = args.needed("sessionId")?;
        let running = self.with_session(&id).await?;
        prompt::cancel(&running, &id).await;
        let params = Object::empty().with("sessionId", &quote(&id)).text();
        let closed = match running.hello.close {
            true => running
                .ask_soon(names::CLOSE, &params, &self.terms)
                .await
                .map(drop),
            false => Ok(()),
        };
        // Whatever the agent says to it: here nobody uses it any more.
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

    async fn list_sessions(&self, args: Args<'_>, caller: &Caller) -> Answer {
        args.only(&["stored", "cursor"])?;
        let stored = args.flag("stored")?;
        let running = match stored {
            true => Some(self.agent(caller).await?),
            false => self.starter.running().await,
        };
        let ours = running.as_ref().map(|r| r.sessions.list());
        let ours = ours.unwrap_or_default();
        let mut text = match ours.is_empty() {
            true => "No sessions are open.".to_owned(),
            false => format!("{} open: [{}]", ours.len(), ours.join(",")),
        };
        let mut structured = Object::empty().with("sessions", &format!("[{}]", ours.join(",")));
        if let Some(running) = running.filter(|_| stored) {
            if !running.hello.list {
                return Err("this agent cannot list the sessions that it has stored".to_owned());
            }
            let cursor = args.text("cursor")?.map(|cursor| quote(&cursor));
            let params = Object::empty()
                .with_some("cursor", cursor.as_deref())
                .text();
            let answer = running.ask_soon(names::LIST, &params, &self.terms).await?;
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

    async fn load_session(&self, args: Args<'_>, caller: &Caller) -> Answer {
        args.only(&["sessionId", "cwd", "mcpServers"])?;
        let id = args.needed("sessionId")?;
        let running = self.agent(caller).await?;
        let method = match (running.hello.resume, running.hello.load) {
            // Nobody here needs to hear all of it again.
            (true, _) => names::RESUME,
            (false, true) => names::LOAD,
            (false, false) => return Err("this agent cannot take up stored sessions".to_owned()),
        };
        if running.sessions.has(&id) {
            return Err(format!("session `{id}` is open already"));
        }
        if running.sessions.is_full() {
            return Err(format!(
                "there are {MOST} sessions already: `close_session` one of them first"
            ));
        }
        let cwd = self.cwd(args.text("cwd")?.as_deref(), caller).await?;
        let params = Object::empty()
            .with("sessionId", &quote(&id))
            .with("cwd", &quote(&cwd))
            .with("mcpServers", &self.servers(&args, &running)?)
            .text();
        let answer = running.ask_soon(method, &params, &self.terms).await?;
        if !running.sessions.add(&id, &cwd) {
            return Err(format!("session `{id}` is open already"));
        }
        self.learn(&running, &id, &answer).await;
        Ok(self.described(&running, &id, "taken up"))
    }

    async fn set_mode(&self, args: Args<'_>) -> Answer {
        args.only(&["sessionId", "mode"])?;
        let (id, mode) = (args.needed("sessionId")?, args.needed("mode")?);
        let running = self.with_session(&id).await?;
        self.switch(&running, &id, &mode).await?;
        Ok(self.described(&running, &id, "changed"))
    }

    async fn set_option(&self, args: Args<'_>) -> Answer {
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
            .ask_soon(names::SET_OPTION, &params, &self.terms)
            .await?;
        running.sessions.with(&id, |session| {
            // One choice may change what else there is to choose.
            let options = member(&answer, "configOptions", JsonKind::Array);
            session.options = options.or(session.options.take());
        });
        Ok(self.described(&running, &id, "changed"))
    }

    async fn switch(&self, running: &Running, id: &str, mode: &str) -> Result<(), Trouble> {
        let modes = running.sessions.with(id, |session| session.modes.clone());
        let Some(modes) = modes.flatten() else {
            return Err(format!("session `{id}` has no modes"));
        };
        let names = mode_names(&modes);
        if !names.iter().any(|name| name == mode) {
            return Err(format!(
                "session `{id}` has no mode `{mode}`; it has {}",
                names.join(", ")
            ));
        }
        let params = Object::empty()
            .with("sessionId", &quote(id))
            .with("modeId", &quote(mode))
            .text();
        running
            .ask_soon(names::SET_MODE, &params, &self.terms)
            .await?;
        running
            .sessions
            .with(id, |session| session.mode = Some(mode.to_owned()));
        Ok(())
    }

    async fn authenticate(&self, args: Args<'_>, caller: &Caller) -> Answer {
        args.only(&["methodId"])?;
        let id = args.needed("methodId")?;
        let running = self.agent(caller).await?;
        let auth = &running.hello.auth;
        let Some(method) = auth.iter().find(|method| method.id == id) else {
            let names: Vec<&str> = auth.iter().map(|method| &*method.id).collect();
            return Err(format!(
                "this agent has no method `{id}`; it has: {}",
                names.join(", ")
            ));
        };
        if method.terminal {
            return Err(format!(
                "`{}` has to be done by a person, in a terminal, with the agent's own program",
                method.name
            ));
        }
        let params = Object::empty().with("methodId", &quote(&id)).text();
        // A person may have to do something in a browser meanwhile.
        let answer = running.talk.ask(names::AUTHENTICATE, &params).await;
        running.result(answer)?;
        let structured = Object::empty()
            .with("methodId", &quote(&id))
            .with("authenticated", "true")
            .text();
        let text = "Logged in to the agent.".to_owned();
        Ok(result(&[text], &[], &structured))
    }

    /// The agent that has this session.
    async fn with_session(&self, id: &str) -> Result<Arc<Running>, Trouble> {
        let running = self.starter.running().await;
        match running.filter(|running| running.sessions.has(id)) {
            Some(running) => Ok(running),
            None => Err(match self.starter.ended().await {
                Some(why) => format!(
                    "there is no session `{id}`: the agent has ended since and its sessions are gone ({why}). Start another one"
                ),
                None => format!(
                    "there is no session `{id}`: `list_sessions` names those that there are"
                ),
            }),
        }
    }
}
