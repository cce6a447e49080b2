//! Servers of other authors on the loopback interface, which end when their value is dropped.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const START: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(50);

pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    /// The reference server with all features, over Streamable HTTP.
    pub fn everything(node: &Path, peers: &Path) -> Result<Self, String> {
        let script = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
        let port = free_port()?;
        let mut command = Command::new(node);
        command.arg(peers.join(script)).arg("streamableHttp");
        command.env("PORT", port.to_string());
        Self::start(&mut command, port, "/mcp")
    }

    /// An empty npm registry without an upstream, in which every user may publish.
    pub fn registry(node: &Path, peers: &Path, folder: &Path) -> Result<Self, String> {
        let port = free_port()?;
        let config = folder.join("config.yaml");
        let text = format!(
            "storage: {}\nlisten: 127.0.0.1:{port}\nuplinks: {{}}\npackages:\n  '**':\n    access: $all\n    \
             publish: $all\nmax_body_size: 500mb\nlog: {{ type: stdout, format: pretty, level: error }}\n",
            folder.join("storage").display()
        );
        fs::write(&config, text).map_err(|e| format!("{}: {e}", config.display()))?;
        let mut command = Command::new(node);
        command.arg(peers.join("node_modules/verdaccio/bin/verdaccio"));
        command.arg("--config").arg(&config).current_dir(folder);
        Self::start(&mut command, port, "/")
    }

    /// Waits until it accepts connections.
    fn start(command: &mut Command, port: u16, path: &str) -> Result<Self, String> {
        let quiet = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = quiet
            .spawn()
            .map_err(|e| format!("a server does not start: {e}"))?;
        let mut server = Self {
            child,
            url: format!("http://127.0.0.1:{port}{path}"),
        };
        let end = Instant::now() + START;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        while TcpStream::connect_timeout(&address, PAUSE).is_err() {
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("the server of {} ended: {status}", server.url));
            }
            if Instant::now() > end {
                return Err(format!("{} does not answer", server.url));
            }
            thread::sleep(PAUSE);
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        crate::tree::kill(&mut self.child);
    }
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address
        .map(|address| address.port())
        .map_err(|e| e.to_string())
}
