import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildConsole } from "../../console/build.mjs";
import { hasBrowser } from "./browser-path.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the built client; empty where there is no browser. */
    consoleClient: string;
  }
}

/** Builds the client once for all files of the suite. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!hasBrowser) {
    console.log("The console's tests are skipped: install chromium, or name one in CHROMIUM.");
    project.provide("consoleClient", "");
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), "holdfast-console-"));
  await buildConsole(folder);
  project.provide("consoleClient", folder);
  return () => rm(folder, { recursive: true });
}
