import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { lockedNode } from "../../build/images/runtime/locked-node.ts";
import { filesOf } from "../../build/images/runtime/npm-package.ts";
import { kubectlFolder } from "./testing/kubectl.ts";
import { canRunUnpacked } from "./testing/run-unpacked.ts";
import { canHaveSmallDisk } from "./testing/small-disk.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether Debian's docker-registry, skopeo and umoci are there to hold images against. */
    imageTools: boolean;
  }
}

const tools = ["docker-registry", "skopeo", "umoci"];

/**
 * Looks for what images are held against, and says in a line each what is left out where something is missing. Has npm
 * cache the Node of each platform: some tests build where nothing can be fetched, behind a proxy of their own.
 */
export default async function setup(project: TestProject): Promise<void> {
  const missing = tools.filter((tool) => !isThere(tool));
  project.provide("imageTools", missing.length === 0);
  const left = [
    ...(canRunUnpacked ? [] : ["No function is run from its image: that takes root."]),
    ...(canHaveSmallDisk ? [] : ["No disk is filled: this user may not mount one."]),
    ...(kubectlFolder ? [] : ["npm run apply is not tried: there is no kubectl that knows kustomize."]),
  ];
  const all = `The suite of images is skipped: there is no ${missing.join(", no ")}. Debian has packages for them.`;
  for (const line of missing.length > 0 ? [all] : left) console.log(line);
  if (missing.length > 0) return;
  const root = join(import.meta.dirname, "../..");
  for (const architecture of ["amd64", "arm64"])
    await filesOf(await lockedNode(root, { os: "linux", architecture }), []);
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
