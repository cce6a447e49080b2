#!/usr/bin/env node
// The browser of a sign-in with a person before it, who fills in every form on the way. BROWSER names it.
// LOGIN_LOG names a file that gets a line for each time that a browser was opened. With LOGIN_REFUSES the person
// follows the link that ends the sign-in instead.
import { appendFileSync } from "node:fs";
import { Browser, formOf } from "./web.mjs";

const USER = process.env.LOGIN_USER ?? "ada";
const PASSWORD = process.env.LOGIN_PASSWORD ?? "correct horse";

const [url] = process.argv.slice(2);
if (process.env.LOGIN_LOG) appendFileSync(process.env.LOGIN_LOG, `${url}\n`);

const browser = new Browser();
let page = await browser.open(url);
const refusal = process.env.LOGIN_REFUSES && page.html.match(/href="([^"]*\/abort)"/)?.[1];
if (refusal) page = await browser.open(new URL(refusal, page.url));
for (let forms = 0; forms < 8; forms += 1) {
  const form = formOf(page);
  if (!form) break;
  const filled = {};
  for (const [name, value] of [["login", USER], ["password", PASSWORD]]) {
    if (name in form.fields) filled[name] = value;
  }
  // A page that asks for consent may have a button for each answer.
  const consent = form.buttons.find(([, value]) => value === "accept");
  if (consent) filled[consent[0]] = consent[1];
  page = await browser.submit(page, form, filled);
}
if (page.status >= 400) {
  console.error(`${page.url}: ${page.status}\n${page.html}`);
  process.exit(1);
}
