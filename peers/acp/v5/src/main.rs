//! ACP components on the official crate 5.0.0, for the interop tests of `linkspan conduct`:
//! `acp5 pass` forwards everything, `acp5 arrow` puts ">" before what the agent says, and
//! `acp5 tool` provides an MCP server "sparkle" with a tool "echo".

use std::process::ExitCode;

use agent_client_protocol::mcp_server::McpServer;
use agent_client_protocol::v1::schema::{ContentBlock, SessionNotification, SessionUpdate};
use agent_client_protocol::{Agent, Client, Conductor, Proxy, Result, Stdio};
use agent_client_protocol_rmcp::rmcp_3::McpServerExt;
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
        Some("pass") => Proxy.v1().name("pass").connect_to(Stdio::new()).await,
        Some("arrow") => arrow().await,
        Some("tool") => tool().await,
        _ => {
            eprintln!("usage: acp5 pass|arrow|tool");
            return ExitCode::from(2);
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("acp5: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn arrow() -> Result<()> {
    Proxy
        .v1()
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

async fn tool() -> Result<()> {
    let server = McpServer::<Conductor, _>::builder("sparkle")
        .instructions("Says again what it is told.")
        .tool_fn(
            "echo",
            "Says a message again",
            async |echo: Echo, _| Ok(format!("Echo: {}", echo.message)),
            agent_client_protocol::tool_fn!(),
        )
        .build();
    Proxy
        .v1()
        .name("tool")
        .with_mcp_server(server)
        .connect_to(Stdio::new())
        .await
}
