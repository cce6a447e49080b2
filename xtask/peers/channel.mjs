// A stdio client by the SDK: `node channel.mjs TEXT COMMAND ARGS…` lists the tools of the command's server and calls
// `echo`; with `--bundle DIR URL TOKEN` as the command, the command of an unpacked MCPB bundle, as a host finds it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

async function commandOfBundle(folder, url, token) {
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  // A host leaves out what the user left empty.
  const userConfig = token ? { url, token } : { url };
  const systemDirs = { HOME: process.env.HOME ?? "/" };
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: folder,
    systemDirs,
    userConfig,
    pathSeparator: "/",
  });
  if (!config) throw new Error("the bundle has no command for this user configuration");
  return config;
}

const [text, first, ...rest] = process.argv.slice(2);
const { command, args, env } =
  first === "--bundle" ? await commandOfBundle(...rest) : { command: first, args: rest, env: {} };
const transport = new StdioClientTransport({ command, args, env: { ...process.env, ...env } });
const client = new Client({ name: "channels", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
if (!tools.some((tool) => tool.name === "echo")) throw new Error("the tool echo is not listed");
const { content } = await client.callTool({ name: "echo", arguments: { message: text } });
console.log(content[0].text);
await client.close();
