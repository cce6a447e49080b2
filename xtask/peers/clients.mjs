// The official TypeScript SDKs behind one face: 1.x knows the handshake only, 2.x is pinned to the
// stateless era. Every question that a server may ask is answered.
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";

const ERAS = {
  legacy: { Client: LegacyClient, Stdio: LegacyStdio, Http: LegacyHttp, options: {} },
  modern: {
    Client: ModernClient,
    Stdio: ModernStdio,
    Http: ModernHttp,
    options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  },
};

const CAPABILITIES = {
  sampling: {},
  // An answer that leaves a field out gets the default of the schema.
  elicitation: { form: { applyDefaults: true } },
  roots: { listChanged: true },
};

// A client of the era that is connected to a URL, or to the stdio server that the words start.
// `answers` has a function for each method that the server may ask for, `hear` is told of news.
export async function connect(era, words, answers, hear = () => {}) {
  const { Client, Stdio, Http, options } = ERAS[era];
  const client = new Client(
    { name: `linkspan-${era}-client`, version: "1.0.0" },
    { capabilities: CAPABILITIES, ...options },
  );
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(era === "legacy" ? LEGACY_SCHEMAS[method] : method, answer);
  }
  for (const news of NEWS) {
    const name = era === "legacy" ? LEGACY_SCHEMAS[news] : news;
    client.setNotificationHandler(name, ({ params }) => hear(news, params));
  }
  const [first, ...args] = words;
  const transport = first.startsWith("http")
    ? new Http(new URL(first))
    : // The whole environment: by itself a transport passes on only a few variables.
      new Stdio({ command: first, args, env: process.env, stderr: "inherit" });
  await client.connect(transport);
  return client;
}

const NEWS = ["notifications/tools/list_changed", "notifications/resources/updated"];

// What SDK 1.x has in place of a method's name.
const LEGACY_SCHEMAS = {
  "elicitation/create": ElicitRequestSchema,
  "sampling/createMessage": CreateMessageRequestSchema,
  "roots/list": ListRootsRequestSchema,
  "notifications/tools/list_changed": ToolListChangedNotificationSchema,
  "notifications/resources/updated": ResourceUpdatedNotificationSchema,
};
