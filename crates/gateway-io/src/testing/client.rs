//! A modern client of a gateway.

use linkspan_bridge::{Caller, RequestService};
use linkspan_ports::{Answering, Principal};
use linkspan_session::{Envelope, Fault};
use linkspan_wire::{Message, quote};
use tokio::time::timeout;

use super::{LONGEST, texts};
use crate::gateway::Gateway;

/// Sends requests to a gateway, on behalf of one principal.
#[derive(Clone)]
pub(crate) struct Client {
    gateway: Gateway,
    pub(crate) principal: Principal,
    capabilities: &'static str,
}

impl Client {
    pub(crate) fn new(gateway: Gateway, principal: Principal) -> Self {
        Self {
            gateway,
            principal,
            capabilities: "{}",
        }
    }

    /// The same client at the address of a view.
    pub(crate) fn in_view(&self, view: &str) -> Self {
        let principal = self.principal.clone().in_view(view);
        Self {
            principal,
            ..self.clone()
        }
    }

    /// The same client, with a user who can be asked.
    pub(crate) fn asking(&self) -> Self {
        Self {
            capabilities: r#"{"elicitation":{"form":{}}}"#,
            ..self.clone()
        }
    }

    /// A request; `params` without its braces.
    pub(crate) fn request(&self, method: &str, params: &str) -> Message {
        let comma = if params.is_empty() { "" } else { "," };
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}}}}}}}}"#,
            self.capabilities
        );
        Message::parse(text.into()).expect("the test writes valid messages")
    }

    /// Sends a request.
    pub(crate) async fn begin(&self, method: &str, params: &str) -> Result<Answering, Fault> {
        self.send(self.request(method, params)).await
    }

    pub(crate) async fn send(&self, request: Message) -> Result<Answering, Fault> {
        let caller = Caller {
            principal: self.principal.clone(),
            session: None,
        };
        let begun = self.gateway.request(Envelope::new(request), &caller);
        timeout(LONGEST, begun).await.expect("it is sent")
    }

    /// Sends a request; returns its answer. A fault becomes an error as a front would send it.
    pub(crate) async fn ask(&self, method: &str, params: &str) -> Message {
        let request = self.request(method, params);
        let id = request.id().expect("a request has an id");
        match self.send(request).await {
            Ok(answering) => answer_of(answering).await,
            Err(why) => linkspan_wire::RpcError::from(&why).answer(&id),
        }
    }

    /// Calls a tool with these arguments.
    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> Message {
        self.ask("tools/call", &call(tool, arguments)).await
    }

    /// The names of the tools that it gets.
    pub(crate) async fn tools(&self) -> Vec<String> {
        texts(&self.ask("tools/list", "").await, "tools", "name")
    }

    /// The URIs of the resources that it gets.
    pub(crate) async fn resources(&self) -> Vec<String> {
        let listed = self.ask("resources/list", "").await;
        texts(&listed, "resources", "uri")
    }

    /// Subscribes to what the filter says, and waits until that is acknowledged.
    pub(crate) async fn listen(&self, filter: &str) -> Listening {
        let params = format!(r#""notifications":{filter}"#);
        let answering = self.begin("subscriptions/listen", &params).await;
        let mut listening = Listening(answering.expect("a subscription"));
        let acknowledged = listening.next().await;
        assert_eq!(
            acknowledged.method(),
            "notifications/subscriptions/acknowledged"
        );
        listening
    }
}

/// The parameters of a call, without braces.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    format!(r#""name":{},"arguments":{arguments}"#, quote(tool))
}

/// A subscription. Dropping it ends it.
pub(crate) struct Listening(pub(crate) Answering);

impl Listening {
    /// The next message.
    pub(crate) async fn next(&mut self) -> Message {
        let next = timeout(LONGEST, self.0.recv()).await;
        next.expect("a message").expect("it goes on").msg
    }

    /// The methods of what has come meanwhile.
    pub(crate) async fn so_far(&mut self) -> Vec<String> {
        let mut methods = Vec::new();
        let short = std::time::Duration::from_secs(1);
        while let Ok(Some(envelope)) = timeout(short, self.0.recv()).await {
            methods.push(envelope.msg.method().into_owned());
        }
        methods
    }
}

/// The answer to a request, after its notifications.
pub(crate) async fn answer_of(mut answering: Answering) -> Message {
    loop {
        let said = timeout(LONGEST, answering.recv()).await;
        let said = said.expect("an answer in time").expect("an answer");
        if said.msg.is_answer() {
            return said.msg;
        }
    }
}
