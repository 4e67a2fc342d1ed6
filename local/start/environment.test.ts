import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { Plan } from "../serving/plan.ts";
import { readEnvironment } from "./environment.ts";

const folder = mkdtempSync(join(tmpdir(), "surroundings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clientWith = (objects: Record<string, Record<string, string>>) =>
  ({
    get: async ({ kind }: Kind, _: string, name: string) =>
      objects[`${kind} ${name}`] && { data: objects[`${kind} ${name}`] },
  }) as unknown as Client;

const plan = (optional: boolean) =>
  ({
    namespace: "holdfast",
    service: "volume-run-job",
    configMaps: [{ name: "holdfast-volume", optional }],
    secrets: [{ name: "holdfast-salt", optional, folder: "salt" }],
  }) as unknown as Plan;

test(
  "entries of ConfigMaps are variables, those of Secrets files that only this user reads, " +
    "and what has gone is gone",
  async () => {
    const password = Buffer.from("secret").toString("base64");
    const there = { "ConfigMap holdfast-volume": { SALT_URL: "http://salt" }, "Secret holdfast-salt": { password } };
    const variables = await readEnvironment(clientWith(there), plan(true), folder);
    const home = variables.HOLDFAST_CREDENTIALS ?? "";
    expect(variables).toEqual({ SALT_URL: "http://salt", HOLDFAST_CREDENTIALS: home });
    const file = join(home, "salt", "password");
    expect(readFileSync(file, "utf8")).toBe("secret");
    expect(statSync(file).mode & 0o077).toBe(0);
    await readEnvironment(clientWith({}), plan(true), folder);
    expect(existsSync(file)).toBe(false);
  },
);

test("what a function cannot start without is named where it is missing", async () => {
  await expect(readEnvironment(clientWith({}), plan(false), folder)).rejects.toThrow(
    "ConfigMap holdfast/holdfast-volume does not exist, and volume-run-job needs it.",
  );
});
