import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { writeSite } from "../../build/docs/write-site.ts";
import { root } from "../manifests/kustomization.ts";

/** The site as `npm run docs` builds it, in a folder that goes with the test file. */
export async function builtSite() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-site-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return { folder, pages: await writeSite(root, folder) };
}
