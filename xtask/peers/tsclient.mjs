// A client on the official TypeScript SDKs: `node tsclient.mjs legacy|modern CALLS TARGET…`.
// CALLS is a JSON array of [method, params]; TARGET is a URL or the words that start a stdio server.
// Prints one line of JSON: the server's name, the results, what was asked. Not the progress: these
// SDKs lose what arrives together with the answer, also without a bridge.
// CLIENT_NAME is the name that its user gives when asked for one, CLIENT_ROOT the URI of its only root.
import { connect } from "./clients.mjs";

const [era, calls, ...target] = process.argv.slice(2);

const asked = [];
const answer = (method, result) => [method, () => (asked.push(method), result)];
const answers = Object.fromEntries([
  answer("elicitation/create", { action: "accept", content: { name: process.env.CLIENT_NAME ?? "Ada" } }),
  answer("sampling/createMessage", {
    role: "assistant",
    model: "stub",
    content: { type: "text", text: "tide ø and “quay”" },
    stopReason: "endTurn",
  }),
  answer("roots/list", { roots: [{ uri: process.env.CLIENT_ROOT ?? "file:///harbour", name: "Høybro" }] }),
]);

const news = [];
let onNews = () => {};
const hear = (method, params) => {
  news.push(params?.uri ? `${method} ${params.uri}` : method);
  onNews();
};
const client = await connect(era, target, answers, hear);

const verbs = {
  ping: () => client.ping(),
  "tools/list": () => client.listTools(),
  "tools/call": (params) => client.callTool(params),
  "resources/list": () => client.listResources(),
  "resources/templates/list": () => client.listResourceTemplates(),
  "resources/read": (params) => client.readResource(params),
  "prompts/list": () => client.listPrompts(),
  "prompts/get": (params) => client.getPrompt(params),
  "completion/complete": (params) => client.complete(params),
  // Not methods of MCP: to subscribe to a resource as the era does it, and to wait for news.
  async subscribe({ uri }) {
    if (era === "legacy") await client.subscribeResource({ uri });
    else await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    return {};
  },
  // To call a tool, lose interest in it after a while, and say so.
  async leave({ after, ...params }) {
    const options = { signal: AbortSignal.timeout(after) };
    const call = era === "legacy" ? client.callTool(params, undefined, options) : client.callTool(params, options);
    const left = await call.then(() => false, () => true);
    // A client that ends at once takes its last words with it.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { left };
  },
  async wait({ until }) {
    while (!news.includes(until)) await new Promise((resolve) => (onNews = resolve));
    return {};
  },
};

const results = [];
for (const [method, params] of JSON.parse(calls)) {
  try {
    results.push(await verbs[method](params));
  } catch (error) {
    results.push({ error: error.code ?? String(error) });
  }
}
const server = client.getServerVersion()?.name;
await client.close();
console.log(JSON.stringify({ server, results, asked }));
