import { runCommand } from "../shared/command/run-command.ts";
import { UserError } from "../shared/command/user-error.ts";
import { wrap } from "../shared/terminal/wrap.ts";

interface Benchmark {
  readonly flags?: string;
  /** Half a sentence: what is measured beside what. */
  readonly doc: string;
  /** Each is imported only when it is asked for. */
  load(): Promise<{ run(args: readonly string[]): Promise<void> }>;
}

const controlPlane = "needs a control plane";

const benches: Readonly<Record<string, Benchmark>> = {
  budget: {
    doc:
      "start, memory, throughput and bytes of a function beside the barest server that Node can be; " +
      "what runs without a name",
    load: () => import("./budget/run.ts"),
  },
  release: {
    flags: "[--claims N] [--pods N]",
    doc: `many claims released at once, beside Kubernetes' own controller; ${controlPlane}`,
    load: () => import("./release/run.ts"),
  },
  latency: {
    flags: "[--single N] [--burst N]",
    doc: `from an event to the patch that answers it, beside a plain informer; ${controlPlane}`,
    load: () => import("./latency/run.ts"),
  },
  window: {
    flags: "[--claims N]",
    doc: `how long a reference of own is under way, in which a policy that turns comes too late; ${controlPlane}`,
    load: () => import("./window/run.ts"),
  },
  cost: {
    doc: "requests and bytes of an event on the default broker, and what a busy cluster triggers",
    load: () => import("./cost/run.ts"),
  },
  rest: {
    doc: "what an installation does, and how long its pods are there, while nothing changes",
    load: () => import("./rest/run.ts"),
  },
  eviction: {
    doc: "requests to Nova while the servers of one compute node move",
    load: () => import("./eviction/run.ts"),
  },
  image: {
    flags: "[FUNCTION...]",
    doc: "what an image adds to its base, what a push of one takes, and a function's start from the files of its image",
    load: () => import("./image/run.ts"),
  },
  telemetry: {
    flags: "[--before FOLDER]",
    doc: "bytes and time of a cold start with telemetry off and on, and of an earlier bundle in FOLDER",
    load: () => import("./telemetry/run.ts"),
  },
  sweep: {
    flags: "[--claims N]",
    doc: "a tick of the sweep in a cluster of many claims beside one of few",
    load: () => import("./sweep/run.ts"),
  },
};

const help = `Measures, and prints tables.

  npm run bench [-- NAME [flags]]

${Object.entries(benches)
  .map(([name, { flags = "", doc }]) => `  ${`${name} ${flags}`.trim()}\n      ${wrap(`${doc}.`, 6, 80)}\n`)
  .join("")}
A control plane is a folder with etcd and kube-apiserver that KUBEBUILDER_ASSETS
names; CONTRIBUTING says more.
`;

async function main([name = "budget", ...args]: readonly string[]): Promise<number> {
  if ([name, ...args].some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(help);
    return 0;
  }
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) throw new UserError(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(", ")}.`);
  if (!bench.flags && args.length > 0)
    throw new UserError(`The benchmark ${name} takes no flags, not ${args.join(" ")}.`);
  const { run } = await bench.load();
  await run(args).catch((error: NodeJS.ErrnoException) => {
    if (!error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new UserError(`${error.message.split(". ")[0]?.replace(/\.$/, "")}. See: npm run bench -- --help`);
  });
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));
