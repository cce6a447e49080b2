#!/usr/bin/env node
// The browser of a user that a server asks something: opens the page and sends the form. BROWSER names this script.
// ANSWER has the fields as the body of a form; without it the question is declined.
const [url] = process.argv.slice(2);
const page = await fetch(url);
const html = await page.text();
if (!page.ok || !html.includes("<form")) throw new Error(`${url}: ${page.status}\n${html}`);
const body = process.env.ANSWER ? `${process.env.ANSWER}&action=accept` : "action=decline";
const headers = { "content-type": "application/x-www-form-urlencoded", origin: new URL(url).origin };
const answered = await fetch(url, { method: "POST", headers, body });
if (!answered.ok) throw new Error(`${url}: ${answered.status}\n${await answered.text()}`);
