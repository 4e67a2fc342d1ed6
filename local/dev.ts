import { formatMessagesSync } from "esbuild";
import { functionNames } from "../esbuild.config.mjs";
import { complain, UserError } from "../shared/command/user-error.ts";
import type { Client } from "../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../shared/kubernetes/object.ts";
import { slug } from "../shared/rule.ts";
import { row } from "../shared/terminal/row.ts";
import { terminal } from "../shared/terminal/terminal.ts";
import { KnativeService } from "./serving/kind.ts";
import { type DevOptions, devHelp, readDevOptions } from "./start/options.ts";
import { inSession, type Session } from "./start/session.ts";
import { startCluster } from "./start/start-cluster.ts";

const namespace = "holdfast";

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: DevOptions;
  try {
    options = readDevOptions(args, functionNames());
  } catch (error) {
    return complain(error);
  }
  if (options.help) {
    process.stdout.write(devHelp);
    return 0;
  }
  return inSession(0, (session) => run(options, session));
}

async function run(options: DevOptions, session: Session): Promise<number> {
  const { signal } = session;
  const out = terminal(process.stdout);
  const cluster = await startCluster(options, session, out);
  const service = slug(options.function);
  const short = options.function.split("/").at(-1) ?? service;
  const say = (word: string, colour: "green" | "red", sentence: string) =>
    out.print(row(out, short, word, colour, sentence));

  let builds = 0;
  const watcher = await cluster.bundles.watch(options.function, (errors) => {
    if (errors.length > 0) {
      say("build", "red", "The bundle cannot be made; the revision before it goes on.");
      const lines = formatMessagesSync([...errors], { kind: "error", color: out.width !== undefined });
      out.print(lines.join("").trimEnd());
      return;
    }
    builds++;
    say("build", "green", builds === 1 ? "Bundled." : "Bundled again.");
    roll(cluster.knative, service, builds).catch((error) => say("build", "red", (error as Error).message));
  });
  session.onEnd(() => watcher.dispose());

  out.print(`\n${cluster.advice}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return 0;
}

type Container = { env?: { name: string; value?: string }[] };
type ServiceObject = KubernetesObject & { spec: { template: { spec: { containers: [Container] } } } };

/**
 * Makes a new revision of a Service, as a new image would, and lets it log at `debug`, so that events that change
 * nothing are explained, too.
 */
async function roll(client: Client, name: string, build: number): Promise<void> {
  const service = await client.get<ServiceObject>(KnativeService, namespace, name);
  if (!service) throw new UserError(`There is no Knative Service ${namespace}/${name}; is it in knative/?`);
  const [container] = service.spec.template.spec.containers;
  const others = container.env?.filter(({ name }) => name !== "LOG_LEVEL") ?? [];
  const env = [...others, { name: "LOG_LEVEL", value: "debug" }];
  const template = {
    metadata: { annotations: { "holdfast.dev/build": String(build) } },
    spec: { containers: [{ ...container, env }] },
  };
  await client.patch(KnativeService, namespace, name, "merge", { spec: { template } });
}

process.exitCode = await main(process.argv.slice(2));
