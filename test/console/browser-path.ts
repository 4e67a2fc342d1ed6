import { existsSync } from "node:fs";

/** The browser, where there is one: Debian's, or the one that CHROMIUM names. */
export const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);

/** Whether there is a browser. */
export const hasBrowser = browserPath !== undefined;
