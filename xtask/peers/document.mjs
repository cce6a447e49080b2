// The web site of a client that describes itself in a metadata document: `node document.mjs CERTIFICATE KEY PORT`
// prints the document's URL, which is also the client's id. PORT is where the client listens for redirects.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const [certificate, key, port] = process.argv.slice(2);
const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      client_id: url,
      client_name: "linkspan",
      application_type: "native",
      redirect_uris: [`http://127.0.0.1:${port}/callback`, `http://localhost:${port}/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }),
  );
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `https://localhost:${server.address().port}/client.json`;
console.log(url);
