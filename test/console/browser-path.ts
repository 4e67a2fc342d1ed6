import { existsSync } from "node:fs";

/** Debian's browsers; that without a user interface first, because a page takes a quarter less processor time in it. */
const browsers = ["chromium-headless-shell", "chromium", "chromium-browser"].map((name) => `/usr/bin/${name}`);

/** The browser, where there is one: the one that CHROMIUM names, or Debian's. */
export const browserPath = [process.env.CHROMIUM, ...browsers].find((path) => path && existsSync(path));

/** Whether there is a browser. */
export const hasBrowser = browserPath !== undefined;
