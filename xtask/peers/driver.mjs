// The MCP client that the conformance suite drives: `node driver.mjs legacy|modern BRIDGE… URL`.
// It starts the bridge as its stdio server and does what MCP_CONFORMANCE_SCENARIO asks for.
import { connect } from "./clients.mjs";

const scenarios = {
  initialize: (client) => client.listTools(),

  async tools_call(client) {
    await client.listTools();
    await call(client, "add_numbers", { a: 5, b: 3 });
  },

  async "elicitation-sep1034-client-defaults"(client) {
    await client.listTools();
    await call(client, "test_client_elicitation_defaults");
  },

  async "sse-retry"(client) {
    await client.listTools();
    await call(client, "test_reconnection");
  },

  async "request-metadata"(client) {
    await client.listTools();
  },

  async "http-standard-headers"(client) {
    for (const { name } of (await client.listTools()).tools) await call(client, name);
    for (const { uri } of (await client.listResources()).resources) {
      await client.readResource({ uri });
    }
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  },

  async "http-custom-headers"(client) {
    await client.listTools();
    const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT);
    for (const { name, arguments: args } of toolCalls) await call(client, name, args);
  },

  async "http-invalid-tool-headers"(client) {
    // The suite looks at what is called: everything that the bridge did not take away.
    const { tools } = await client.listTools();
    for (const { name } of tools) await call(client, name, { region: "north" });
  },

  async "sep-2322-client-request-state"(client) {
    await client.listTools();
    // While the first call waits for its answer, another one has nothing to do with it.
    between = () => call(client, "test_mrtr_unrelated");
    await call(client, "test_mrtr_echo_state");
    await call(client, "test_mrtr_no_state");
    await call(client, "test_mrtr_unrelated");
    // The modern SDK refuses a result without `resultType`; this checks that the call is not retried.
    await call(client, "test_mrtr_no_result_type").catch((error) => {
      if (error.data?.violation !== "missing-resultType") throw error;
    });
  },

  async "json-schema-2020-12-preservation"(client) {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
    await call(client, "json_schema_echo", { schema: tool.inputSchema });
  },

  "json-schema-ref-no-deref": (client) => client.listTools(),
};

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
}

// What is done while a question waits for its answer.
let between = () => {};

const answers = {
  async "elicitation/create"({ params }) {
    await between();
    // Nothing filled in that has a default: the SDK then fills in that.
    const asked = params.requestedSchema.properties;
    return { action: "accept", content: "confirmed" in asked ? { confirmed: true } : {} };
  },
  "sampling/createMessage": () => {
    throw new Error("no scenario samples");
  },
  "roots/list": () => ({ roots: [] }),
};

const name = process.env.MCP_CONFORMANCE_SCENARIO;
const scenario = scenarios[name];
if (!scenario) throw new Error(`no such scenario here: ${name}`);

const [era, ...bridge] = process.argv.slice(2);
const client = await connect(era, bridge, answers);
await scenario(client);
await client.close();
