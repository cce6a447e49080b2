// What a browser does in a sign-in: it follows redirects, keeps cookies, and submits forms.
import { setTimeout as wait } from "node:timers/promises";

// A client may listen for the last redirect only after it has opened the browser; a person would be slower.
const PATIENCE = 10_000;

export class Browser {
  #cookies = new Map();

  // Opens a URL and every page that it redirects to; gives back the last one.
  async open(url, init = {}) {
    for (let hops = 0; hops < 20; hops += 1) {
      const answer = await this.#fetch(url, init);
      const next = answer.headers.get("location");
      if (answer.status < 300 || answer.status >= 400 || !next) {
        return { url: String(url), status: answer.status, html: await answer.text() };
      }
      await answer.arrayBuffer();
      url = new URL(next, url);
      init = {};
    }
    throw new Error(`too many redirects: ${url}`);
  }

  // Submits the form of a page, with these fields in place of its own.
  submit(page, form, fields) {
    const body = new URLSearchParams({ ...form.fields, ...fields });
    return this.open(new URL(form.action, page.url), { method: "POST", body });
  }

  async #fetch(url, init) {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie && { cookie }) };
    const answer = await patiently(() => fetch(url, { ...init, headers, redirect: "manual" }));
    for (const line of answer.headers.getSetCookie()) {
      const [pair, ...attributes] = line.split(";");
      const at = pair.indexOf("=");
      const isGone = attributes.some((attribute) => /^\s*(max-age=0|expires=.*1970)/i.test(attribute));
      if (isGone) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }
}

// The first form that a page posts, with the fields that it has already.
export function formOf({ html }) {
  const form = html.match(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/i)?.[0];
  if (!form) return undefined;
  const attribute = (tag, name) => tag.match(new RegExp(`\\s${name}="([^"]*)"`, "i"))?.[1].replaceAll("&amp;", "&");
  const fields = {};
  for (const [tag] of form.matchAll(/<input[^>]*>/gi)) {
    const name = attribute(tag, "name");
    if (name) fields[name] = attribute(tag, "value") ?? "";
  }
  const buttons = [...form.matchAll(/<button[^>]*>/gi)].map(([tag]) => [attribute(tag, "name"), attribute(tag, "value")]);
  return { action: attribute(form.match(/<form[^>]*>/i)[0], "action") ?? "", fields, buttons };
}

async function patiently(work) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.cause?.code !== "ECONNREFUSED" || Date.now() > end) throw error;
      await wait(50);
    }
  }
}
