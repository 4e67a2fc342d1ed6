import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { systemClock } from "../../../shared/clock.ts";
import { httpTransport } from "../../../shared/system/http-transport.ts";
import { runAgent } from "./agents-file.ts";
import { openstackContract } from "./contract.ts";
import type { OpenStackUnderTest } from "./openstack-under-test.ts";

const { OS_AUTH_URL: authUrl = "", OS_PASSWORD: password = "", OPENSTACK_CONTROL: control, ...env } = process.env;

/**
 * The OpenStack of the environment: accounts `admin` and `demo` with one password. OPENSTACK_HOSTS names two compute
 * hosts, OPENSTACK_IMAGE an image; OPENSTACK_CONTROL is a command that takes `stop` or `start` and a host,
 * OPENSTACK_AGENTS a file with a line for each agent that lives.
 */
function realOpenStack(): OpenStackUnderTest {
  const [first = "node-a", second = "node-b"] = env.OPENSTACK_HOSTS?.split(",") ?? [];
  // `sh -c` gives the words after the script as $0, $1 and so on.
  const run = async (...words: string[]) =>
    void (await promisify(execFile)("sh", ["-c", control ?? "", "sh", ...words], { timeout: 60_000 }));
  return {
    authUrl,
    transportTo: (root) => httpTransport(root, async () => undefined),
    clock: systemClock,
    password,
    hosts: [first, second],
    server: { flavorRef: env.OPENSTACK_FLAVOR ?? "1", imageRef: env.OPENSTACK_IMAGE },
    settled: (work) => work,
    ...(env.OPENSTACK_AGENTS ? { agents: runAgent(env.OPENSTACK_AGENTS) } : {}),
    ...(control ? { control: { stop: (host) => run("stop", host), start: (host) => run("start", host) } } : {}),
  };
}

if (authUrl) describe("OpenStack itself", { timeout: 240_000 }, () => openstackContract(realOpenStack));
else
  test.skip("OpenStack itself is not asked: OS_AUTH_URL is not set, see test/contract/openstack/README.md", () => {});
