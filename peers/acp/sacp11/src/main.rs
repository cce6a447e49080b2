//! ACP components on sacp 11, the generation before, for the interop tests of `linkspan conduct`:
//! `acp11 pass` forwards everything, `acp11 arrow` puts ">" before what the agent says, and
//! `acp11 tool` provides an MCP server "sparkle" with a tool "echo".

use std::process::ExitCode;

use sacp::mcp_server::McpServer;
use sacp::schema::{ContentBlock, SessionNotification, SessionUpdate};
use sacp::{Agent, Client, Conductor, Error, Proxy};
use sacp_tokio::Stdio;
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
        Some("tool") => tool().await,
        _ => {
            eprintln!("usage: acp11 pass|arrow|tool");
            return ExitCode::from(2);
        }
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("acp11: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn arrow() -> Result<(), Error> {
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
            sacp::on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

async fn tool() -> Result<(), Error> {
    let server = McpServer::<Conductor, _>::builder("sparkle")
        .instructions("Says again what it is told.")
        .tool_fn(
            "echo",
            "Says a message again",
            async |echo: Echo, _| Ok(format!("Echo: {}", echo.message)),
            sacp::tool_fn!(),
        )
        .build();
    Proxy
        .builder()
        .name("tool")
        .with_mcp_server(server)
        .connect_to(Stdio::new())
        .await
}
