#!/usr/bin/env node
// The same person as in `login.mjs`, before a real browser: types into the login form of `oidc-provider` and clicks.
// BROWSER names this script, CHROMIUM the browser.
import { appendFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [url] = process.argv.slice(2);
if (process.env.LOGIN_LOG) appendFileSync(process.env.LOGIN_LOG, `${url}\n`);

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  headless: "shell",
  // Chromium refuses to run with its sandbox as root, which tests in a container are.
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.type("input[name=login]", process.env.LOGIN_USER ?? "ada");
  await page.type("input[name=password]", "correct horse");
  await submit(page);
  // The page that asks for consent.
  await submit(page);
  const title = await page.title();
  if (new URL(page.url()).origin === new URL(url).origin) throw new Error(`still at ${page.url()}: ${title}`);
} finally {
  await browser.close();
}

async function submit(page) {
  const button = await page.waitForSelector("button[type=submit]");
  await Promise.all([page.waitForNavigation(), button.click()]);
}
