import { execFileSync } from "node:child_process";
import type { TestProject } from "vitest/node";
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

/** Looks for what images are held against, and says in a line each what is left out where something is missing. */
export default function setup(project: TestProject): void {
  const missing = tools.filter((tool) => !isThere(tool));
  project.provide("imageTools", missing.length === 0);
  const left = [
    ...(canRunUnpacked ? [] : ["No function is run from its image: that takes root."]),
    ...(canHaveSmallDisk ? [] : ["No disk is filled: this user may not mount one."]),
    ...(kubectlFolder ? [] : ["npm run apply is not tried: there is no kubectl that knows kustomize."]),
  ];
  const all = `The suite of images is skipped: there is no ${missing.join(", no ")}. Debian has packages for them.`;
  for (const line of missing.length > 0 ? [all] : left) console.log(line);
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
