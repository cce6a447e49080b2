// The MCP client that the conformance suite drives: `node driver.mjs BRIDGE… URL`.
// It starts the bridge as its stdio server and does what MCP_CONFORMANCE_SCENARIO asks for.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const scenarios = {
  initialize: (client) => client.listTools(),

  async tools_call(client) {
    await client.listTools();
    await call(client, "add_numbers", { a: 5, b: 3 });
  },

  async "elicitation-sep1034-client-defaults"(client) {
    // Accept with nothing filled in: the SDK then fills in the schema's defaults.
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
    await client.listTools();
    await call(client, "test_client_elicitation_defaults", {});
  },

  async "sse-retry"(client) {
    await client.listTools();
    await call(client, "test_reconnection", {});
  },

  async "json-schema-2020-12-preservation"(client) {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
    await call(client, "json_schema_echo", { schema: tool.inputSchema });
  },

  "json-schema-ref-no-deref": (client) => client.listTools(),
};

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
}

const name = process.env.MCP_CONFORMANCE_SCENARIO;
const scenario = scenarios[name];
if (!scenario) throw new Error(`no such scenario here: ${name}`);

const [command, ...args] = process.argv.slice(2);
// The whole environment: StdioClientTransport passes on only a few variables by itself.
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
const client = new Client(
  { name: "linkspan-conformance-driver", version: "1.0.0" },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
await client.connect(transport);
await scenario(client);
await client.close();
