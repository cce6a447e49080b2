// The MCP client that the conformance suite drives through its sign-in scenarios:
// `node auth_driver.mjs legacy|modern BRIDGE… URL`. It gives the bridge an empty state folder, a browser, and
// what the suite's context says as flags; then it lists the tools and calls one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "./clients.mjs";

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const state = mkdtempSync(join(tmpdir(), "linkspan-sign-in-"));

const GRANTS = {
  "auth/client-credentials-basic": "client-credentials",
  "auth/client-credentials-jwt": "client-credentials",
  "auth/enterprise-managed-authorization": "enterprise",
  "auth/wif-jwt-bearer": "jwt-bearer",
};
const grant = GRANTS[scenario];
// The only scenario without a context whose client has to be told something: the suite expects this URL.
const document =
  scenario === "auth/basic-cimd" ? "https://conformance-test.local/client-metadata.json" : undefined;

const flag = (name, value) => (value === undefined ? [] : [name, value]);

// The name of a variable that has the value.
function variable(name, value) {
  if (value === undefined) return undefined;
  process.env[name] = value;
  return name;
}

// The path of a file that has the text.
function file(name, text) {
  if (text === undefined) return undefined;
  const path = join(state, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function forLinkspan(words, url) {
  return [
    ...words,
    ...flag("--grant", grant),
    ...flag("--client-id", context.client_id),
    ...flag("--client-secret-env", variable("SUITE_CLIENT_SECRET", context.client_secret)),
    ...flag("--client-key", file("client.pem", context.private_key_pem)),
    ...flag("--client-metadata-url", document),
    // SUITE_ASSERTION names one of the context's other tokens, which are to be refused.
    ...flag("--assertion-file", file("assertion.jwt", context[process.env.SUITE_ASSERTION ?? "valid_jwt"])),
    ...flag("--idp-issuer", context.idp_issuer),
    ...flag("--idp-token-endpoint", context.idp_token_endpoint),
    ...flag("--idp-client-id", context.idp_client_id),
    ...flag("--idp-id-token-env", variable("SUITE_ID_TOKEN", context.idp_id_token)),
    url,
  ];
}

// What mcp-remote has of it.
function forMcpRemote(words, url) {
  const { client_id, client_secret } = context;
  const client = client_id && JSON.stringify({ client_id, client_secret });
  return [
    ...words,
    url,
    ...(era === "legacy" ? ["--protocol", "auto"] : []),
    ...(grant === "client-credentials" ? ["--client-credentials"] : []),
    ...flag("--static-oauth-client-info", client),
    ...flag("--client-metadata-url", document),
  ];
}

const [era, ...bridge] = process.argv.slice(2);
const url = bridge.pop();
const isMcpRemote = bridge.some((word) => word.includes("mcp-remote"));
process.env.BROWSER = join(import.meta.dirname, "browser.mjs");
process.env.LINKSPAN_STATE = state;
process.env.MCP_REMOTE_CONFIG_DIR = state;

let client;
try {
  const words = isMcpRemote ? forMcpRemote(bridge, url) : forLinkspan(bridge, url);
  client = await connect(era, words, {});
  await client.listTools();
  const result = await client.callTool({ name: "test-tool", arguments: {} });
  if (result.isError) throw new Error(`test-tool: ${JSON.stringify(result.content)}`);
} catch (error) {
  // A refusal ends here, which some scenarios expect.
  console.error(error);
  process.exitCode = 1;
} finally {
  // A client that could not connect closes its transport by itself; Node waits for it.
  await client?.close();
  process.on("exit", () => rmSync(state, { recursive: true, force: true }));
}
