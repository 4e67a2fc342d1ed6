/** `npm run bench [-- NAME [flags]]`: measures, and prints tables. Each benchmark is imported only when it is asked for. */
const benches: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  budget: () => import("./budget/run.ts"),
  release: () => import("./release/run.ts"),
  latency: () => import("./latency/run.ts"),
  cost: () => import("./cost/run.ts"),
  sweep: () => import("./sweep/run.ts"),
};

// What was started ends when this process exits, which by a signal alone it would not do in order.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

const [name = "budget", ...args] = process.argv.slice(2);
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (load) await (await load()).run(args);
else {
  console.error(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(", ")}.`);
  process.exitCode = 1;
}
