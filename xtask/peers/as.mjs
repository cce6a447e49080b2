// A real authorization server, `oidc-provider`: `node as.mjs [OPTION…]` prints its issuer when it is ready.
//
//   --port N            a fixed port
//   --ttl SECONDS       how long access tokens live (300)
//   --dpop              offers DPoP
//   --dpop-nonce        the same, and proofs need a nonce of the server
//   --no-registration   knows the client `static-client` and metadata documents only
//   --hold              prints `held PORT` for a token request from that port, and takes it up when a line `go PORT`
//                       is on its stdin; if the client goes before, the request did not happen
//
// It has dynamic registration, client metadata documents, a static client, the device flow, resource
// indicators with JWT access tokens, `iss` in answers, and rotates refresh tokens: one that is used twice
// revokes all tokens of its grant. `GET /__counters` tells what happened so far.
import { createServer } from "node:http";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { exportJWK, generateKeyPair } from "jose";
import { Provider, errors } from "oidc-provider";

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    ttl: { type: "string", default: "300" },
    dpop: { type: "boolean", default: false },
    "dpop-nonce": { type: "boolean", default: false },
    "no-registration": { type: "boolean", default: false },
    hold: { type: "boolean", default: false },
  },
});

const SCOPES = "mcp:basic mcp:write";
const GRANTS = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
const DAY = 24 * 60 * 60;

const counters = {
  authorizations: 0,
  logins: 0,
  refreshes: 0,
  refreshedAt: [],
  reuses: 0,
  revokedGrants: 0,
  registrations: 0,
  failures: [],
};

async function signingKey(alg) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: alg };
}

// A resource of this machine; its tokens are JWTs, so that it needs no other help to check them.
function resourceServer(_ctx, resource) {
  const { hostname } = new URL(resource);
  if (!["127.0.0.1", "localhost"].includes(hostname)) throw new errors.InvalidTarget();
  return {
    scope: SCOPES,
    audience: resource,
    accessTokenFormat: "jwt",
    accessTokenTTL: Number(options.ttl),
    jwt: { sign: { alg: "ES256" } },
  };
}

const configuration = {
  jwks: { keys: [await signingKey("ES256"), await signingKey("RS256")] },
  cookies: { keys: [randomBytes(16).toString("hex")] },
  clients: [
    {
      client_id: "static-client",
      client_secret: "static-secret",
      application_type: "native",
      grant_types: GRANTS,
      redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
      token_endpoint_auth_method: "client_secret_basic",
    },
  ],
  scopes: ["openid", "offline_access", ...SCOPES.split(" ")],
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  pkce: { required: () => true },
  ttl: { AccessToken: Number(options.ttl), DeviceCode: 600, Grant: DAY, IdToken: 3600, Interaction: 600, RefreshToken: DAY, Session: DAY },
  features: {
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    deviceFlow: { enabled: true },
    dPoP: {
      enabled: options.dpop || options["dpop-nonce"],
      nonceSecret: randomBytes(32),
      requireNonce: () => options["dpop-nonce"],
    },
    registration: { enabled: !options["no-registration"] },
    resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer, useGrantedResource: () => true },
    revocation: { enabled: true },
  },
  // Documents of clients are on this machine, which the server would refuse to reach by itself.
  fetch: (url, { dispatcher: _, ...init }) => fetch(url, init),
};

const server = createServer();
await new Promise((resolve) => server.listen(Number(options.port), "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, configuration);

provider.on("interaction.started", (_ctx, prompt) => (counters.authorizations += prompt.name === "login" ? 1 : 0));
provider.on("grant.success", ({ oidc }) => {
  if (oidc.params.grant_type !== "refresh_token") return (counters.logins += 1);
  counters.refreshes += 1;
  counters.refreshedAt.push(Date.now());
});
provider.on("grant.revoked", () => (counters.revokedGrants += 1));
provider.on("registration_create.success", () => (counters.registrations += 1));
provider.on("grant.error", (_ctx, error) => {
  if (error.error === "authorization_pending") return;
  if (error.error_detail === "refresh token already used") counters.reuses += 1;
  counters.failures.push(`${error.error}: ${error.error_detail ?? error.error_description}`);
});
provider.on("authorization.error", (_ctx, error) => counters.failures.push(`${error.error}: ${error.error_description}`));
provider.on("server_error", (_ctx, error) => console.error(error));

const held = new Map();
createInterface(process.stdin).on("line", (line) => held.get(Number(line.split(" ")[1]))?.());

// Whether the request may go on; its client may have gone instead.
function released({ socket }) {
  const port = socket.remotePort;
  console.log(`held ${port}`);
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    socket.once("close", gone);
    held.set(port, () => {
      socket.off("close", gone);
      resolve(true);
    });
  });
}

const answer = provider.callback();
server.on("request", async (request, response) => {
  if (request.url === "/__counters") {
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify(counters));
  }
  if (options.hold && request.url === "/token" && !(await released(request))) return;
  answer(request, response);
});
console.log(issuer);
