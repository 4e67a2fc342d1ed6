import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const check = JSON.stringify(join(import.meta.dirname, "needs-node-24.mjs"));
const under = (version: string) => {
  const program = `Object.defineProperty(process.versions, "node", { value: "${version}" }); await import(${check});`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], { stdio: "pipe" });
};

test("an older Node is reported in one line, before it could stumble", () =>
  expect(() => under("22.18.0")).toThrow(/holdfast: Node 24 or newer is needed, and this is v[\d.]+\. .*\.\n$/));

test.each(["24.0.0", "26.1.0"])("Node %s will do", (version) => expect(() => under(version)).not.toThrow());
