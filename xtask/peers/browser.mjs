#!/usr/bin/env node
// The browser of a sign-in that has nothing to click: opens the URL that it is given, and with it every page
// that it is redirected to. BROWSER names it.
import { Browser } from "./web.mjs";

await new Browser().open(process.argv[2]);
