// What clients see of a program that bridges MCP: `node dropin.mjs stdio|sse|ws|http WORDS…`.
// WORDS start the program. `stdio`: it is the server of one client. The others: two clients connect to it over this
// transport, at PORT and PATH_OF of the environment, once it prints that it listens.
// Prints one line of JSON: the tools, the results, an error, a ping.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import WebSocket from "ws";

const [kind, program, ...args] = process.argv.slice(2);
const at = (scheme) => new URL(`${scheme}://localhost:${process.env.PORT}${process.env.PATH_OF}`);

// Not every Node has one.
globalThis.WebSocket ??= WebSocket;

const transports = {
  stdio: () => new StdioClientTransport({ command: program, args, env: process.env, stderr: "ignore" }),
  sse: () => new SSEClientTransport(at("http")),
  ws: () => new WebSocketClientTransport(at("ws")),
  http: () => new StreamableHTTPClientTransport(at("http")),
};

async function connected() {
  // All that a server can ask for: some offer more tools then.
  const capabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
  const client = new Client({ name: "dropin", version: "1" }, { capabilities });
  await client.connect(transports[kind]());
  return client;
}

// An error in the few words that do not depend on the SDK of a bridge.
const failure = (error) => ({ code: error.code, message: String(error.message).replace(/^MCP error -?\d+: /, "") });

async function seen() {
  const client = await connected();
  const { tools } = await client.listTools();
  const echo = { name: "echo", arguments: { message: "ahoy ø ⛴" } };
  const result = {
    server: client.getServerVersion().name,
    tools: tools.map((tool) => tool.name).sort(),
    echo: await client.callTool(echo).catch(failure),
    unknown: await client.callTool({ name: "no such tool", arguments: {} }).catch(failure),
    resource: await client.readResource({ uri: "demo://nowhere" }).then(() => "found", failure),
    ping: await client.ping(),
  };
  if (kind !== "stdio") {
    const other = await connected();
    result.other = await other.callTool(echo).catch(failure);
    await other.close();
    result.after = await client.callTool(echo).catch(failure);
  }
  await client.close();
  return result;
}

if (kind === "stdio") {
  console.log(JSON.stringify(await seen()));
  process.exit(0);
}
const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
for await (const line of createInterface({ input: child.stdout })) {
  if (line.includes("Listening on port")) break;
}
child.stdout.resume();
const result = await seen();
// The end of the program's stdin is the end of the program.
const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
child.stdin.end();
result.exit = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20000, "runs on"))]);
child.kill();
console.log(JSON.stringify(result));
process.exit(0);
