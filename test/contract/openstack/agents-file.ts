import { readFileSync, writeFileSync } from "node:fs";
import type { OpenStackUnderTest } from "./openstack-under-test.ts";

/** Silences agents by a file with a line `HOST SORT` for each that reports. */
export const runAgent =
  (file: string): NonNullable<OpenStackUnderTest["agents"]> =>
  async (host, sort, isRunning) => {
    const line = `${host} ${sort}`;
    const others = readFileSync(file, "utf8")
      .split("\n")
      .filter((one) => one && one !== line);
    writeFileSync(file, `${[...others, ...(isRunning ? [line] : [])].join("\n")}\n`);
  };
