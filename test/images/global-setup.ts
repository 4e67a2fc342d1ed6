import { execFileSync } from "node:child_process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether Debian's docker-registry, skopeo and umoci are there to hold images against. */
    imageTools: boolean;
  }
}

const tools = ["docker-registry", "skopeo", "umoci"];

/** Looks for what images are held against; without it the whole suite is skipped. */
export default function setup(project: TestProject): void {
  const missing = tools.filter((tool) => !isThere(tool));
  project.provide("imageTools", missing.length === 0);
  if (missing.length > 0)
    console.log(
      `The suite of images is skipped: there is no ${missing.join(", no ")}. Debian has packages of these names.`,
    );
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
