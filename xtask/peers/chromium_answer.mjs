#!/usr/bin/env node
// The same user before a real browser, who uses the keyboard only. BROWSER names this script, CHROMIUM the browser,
// and ANSWER is what is typed into the first field.
import puppeteer from "puppeteer-core";

const [url] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  headless: "shell",
  // Chromium refuses to run with its sandbox as root, which tests in a container are.
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.keyboard.press("Tab");
  await page.keyboard.type(process.env.ANSWER);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  const text = await page.evaluate(() => document.body.innerText);
  if (!text.includes("The answer was sent")) throw new Error(`still asked: ${text}`);
} finally {
  await browser.close();
}
