import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { systemClock } from "../../../shared/clock.ts";
import { saltContract, volumesContract } from "./contract.ts";
import { fetchTransport } from "./fetch-transport.ts";
import type { SaltUnderTest } from "./salt-under-test.ts";

const { SALT_API_URL: url, SALT_CONTROL: control, ...env } = process.env;

function realSalt(): SaltUnderTest {
  const [first = "worker-0", second = "worker-1"] = env.SALT_MINIONS?.split(",") ?? [];
  // `sh -c` gives the words after the script as $0, $1 and so on.
  const run = async (...words: string[]) =>
    void (await promisify(execFile)("sh", ["-c", control ?? "", "sh", ...words], { timeout: 60_000 }));
  return {
    transport: fetchTransport(url ?? ""),
    clock: systemClock,
    account: {
      eauth: env.SALT_EAUTH ?? "sharedsecret",
      username: env.SALT_USER ?? "storage",
      password: env.SALT_PASSWORD ?? "",
    },
    powerless: env.SALT_POWERLESS_USER ?? "powerless",
    minions: [first, second],
    tokenExpire: Number(env.SALT_TOKEN_EXPIRE ?? 43_200),
    settled: (work) => work,
    ...(control
      ? {
          control: {
            stop: (name) => run("stop", name),
            start: (name) => run("start", name),
            kill: (name) => run("kill", name),
            killJob: (jid, minion) => run("kill-job", minion, jid),
          },
        }
      : {}),
  };
}

const contract = env.SALT_STATES === "product" ? volumesContract : saltContract;
if (url) describe("salt-api itself", () => contract(realSalt));
else test.skip("salt-api itself is not asked: SALT_API_URL is not set, see test/contract/salt/README.md", () => {});
