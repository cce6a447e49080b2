//! ACP components on the official crate 2.2.0, the last in which MCP servers have connections, for the
//! interop tests of `linkspan conduct`: `acp2 pass` forwards everything, `acp2 arrow` puts ">" before
//! what the agent says, and `acp2 tool [NAME]` provides an MCP server "sparkle" (or NAME) with a tool
//! "echo".

use std::process::ExitCode;

use agent_client_protocol::mcp_server::McpServer;
use agent_client_protocol::schema::v1::{ContentBlock, SessionNotification, SessionUpdate};
use agent_client_protocol::{Agent, Client, Conductor, Proxy, Result, Stdio};
use agent_client_protocol_rmcp::McpServerExt;
use schemars::JsonSchema;
use serde::Deserialize;

/// What the tool takes.
#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What comes back.
    message: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let ended = match std::env::args().nth(1).as_deref() {
        Some("pass") => Proxy.builder().name("pass").connect_to(Stdio::new()).await,
        Some("arrow") => arrow().await,
        Some("tool") => tool(std::env::args().nth(2)).await,
        _ => {
            eprintln!("usage: acp2 pass|arrow|tool [NAME]");
            return ExitCode::from(2);
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("acp2: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn arrow() -> Result<()> {
    Proxy
        .builder()
        .name("arrow")
        .on_receive_notification_from(
            Agent,
            async |mut notice: SessionNotification, connection| {
                if let SessionUpdate::AgentMessageChunk(chunk) = &mut notice.update
                    && let ContentBlock::Text(text) = &mut chunk.content
                {
                    text.text.insert(0, '>');
                }
                connection.send_notification_to(Client, notice)
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

async fn tool(name: Option<String>) -> Result<()> {
    let name = name.unwrap_or_else(|| "sparkle".to_owned());
    let server = McpServer::<Conductor, _>::builder(name)
        .instructions("Says again what it is told.")
        .tool_fn(
            "echo",
            "Says a message again",
            async |echo: Echo, _| Ok(format!("Echo: {}", echo.message)),
            agent_client_protocol::tool_fn!(),
        )
        .build();
    Proxy
        .builder()
        .name("tool")
        .with_mcp_server(server)
        .connect_to(Stdio::new())
        .await
}
