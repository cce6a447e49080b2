// An MCP server on the official TypeScript SDK that wants a token of an authorization server:
// `node protected.mjs [--port N] [--opaque] [--open-handshake] ISSUER` prints its URL when it is ready. It speaks both eras.
//
// `echo` and `add_one` need the scope `mcp:basic`, `write_note` needs `mcp:write`, too. A token that is bound to a
// key has to come with DPoP proofs. With `--opaque` tokens are not JWTs: the issuer is asked whose they are, and the
// only scope is `openid`. With `--open-handshake` `initialize` needs no token, as at many servers. `GET /__counters` tells what happened so far.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { EmbeddedJWK, calculateJwkThumbprint, createRemoteJWKSet, jwtVerify } from "jose";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  McpServer,
  OAuthError,
  createMcpHandler,
  fromJsonSchema,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from "@modelcontextprotocol/server";

const { values: options, positionals } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    opaque: { type: "boolean", default: false },
    "open-handshake": { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const [issuer] = positionals;
const scope = options.opaque ? "openid" : "mcp:basic";
const counters = { calls: 0, proven: 0, added: 0, refused: 0, subjects: [] };

const text = (content) => ({ content: [{ type: "text", text: content }] });

function mcpServer() {
  const server = new McpServer({ name: "linkspan-protected-peer", version: "1.0.0" });
  const said = fromJsonSchema({ type: "object", properties: { message: { type: "string" } }, required: ["message"] });
  server.registerTool("echo", { inputSchema: said }, ({ message }) => text(`Echo: ${message}`));
  server.registerTool("add_one", {}, () => text(String((counters.added += 1))));
  const writes = requireScopes("mcp:basic", "mcp:write");
  server.registerTool("write_note", { inputSchema: said, scopeChallenge: writes }, ({ message }) => text(`Noted: ${message}`));
  server.registerTool("whoami", {}, ({ http }) => text(http.authInfo.extra.subject));
  return server;
}

const http = createServer();
await new Promise((resolve) => http.listen(Number(options.port), "127.0.0.1", resolve));
const url = new URL(`http://127.0.0.1:${http.address().port}/mcp`);
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);

const oauthMetadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));
const seen = new Set();

// The proof that goes with a token of the DPoP scheme; gives back the thumbprint of its key.
async function checkProof(request, token) {
  const proof = request.headers.get("dpop") ?? "";
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: "dpop+jwt", algorithms: ["ES256"], maxTokenAge: "60 s" });
  const hash = createHash("sha256").update(token).digest("base64url");
  const fits = payload.htm === request.method && payload.htu === url.href && payload.ath === hash;
  if (!fits || seen.has(payload.jti)) throw new Error("the proof does not fit the request, or was used before");
  seen.add(payload.jti);
  return calculateJwkThumbprint(protectedHeader.jwk);
}

// Asks the issuer whose token it is.
async function askIssuer(token) {
  const answer = await fetch(oauthMetadata.userinfo_endpoint, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error("the issuer does not know the token");
  return { sub: (await answer.json()).sub, scope, exp: Math.floor(Date.now() / 1000) + 1 };
}

async function checkToken(token) {
  const expected = { issuer, audience: url.href, typ: "at+jwt" };
  return options.opaque ? askIssuer(token) : (await jwtVerify(token, keys, expected)).payload;
}

// Checks a token, and that it comes with the scheme that it was issued for.
const verifier = (request, scheme) => ({
  async verifyAccessToken(token) {
    try {
      const payload = await checkToken(token);
      const key = scheme === "dpop" ? await checkProof(request, token) : undefined;
      if (payload.cnf?.jkt !== key) throw new Error("the token is bound to another key");
      const scopes = payload.scope?.split(" ") ?? [];
      return { token, clientId: payload.client_id ?? "unknown", scopes, expiresAt: payload.exp, resource: url, extra: { subject: payload.sub } };
    } catch (error) {
      throw new OAuthError("invalid_token", String(error.message));
    }
  },
});

async function authenticate(request) {
  const [scheme, token] = (request.headers.get("authorization") ?? "").split(" ");
  // The SDK knows the scheme Bearer only.
  if (scheme.toLowerCase() === "dpop") request.headers.set("authorization", `Bearer ${token}`);
  const expected = { requiredScopes: [scope], expectedResource: url, resourceMetadataUrl };
  return requireBearerAuth({ verifier: verifier(request, scheme.toLowerCase()), ...expected })(request);
}

// Whether a request needs no token.
async function isOpen(request) {
  if (!options["open-handshake"] || request.method !== "POST") return false;
  return (await request.clone().json()).method === "initialize";
}

const mcp = createMcpHandler(mcpServer);
async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/__counters") return Response.json(counters);
  const described = { oauthMetadata, resourceServerUrl: url, scopesSupported: [scope], resourceName: "Protected peer" };
  const metadata = oauthMetadataResponse(request, described);
  if (metadata) return metadata;
  if (pathname !== url.pathname) return new Response(null, { status: 404 });
  if (await isOpen(request)) return mcp.fetch(request);
  const auth = await authenticate(request);
  if (auth instanceof Response) {
    counters.refused += 1;
    return auth;
  }
  counters.calls += 1;
  if (request.headers.has("dpop")) counters.proven += 1;
  if (!counters.subjects.includes(auth.extra.subject)) counters.subjects.push(auth.extra.subject);
  return mcp.fetch(request, { authInfo: auth });
}

http.on("request", toNodeHandler({ fetch: answer }));
console.log(url.href);
