import { fileURLToPath } from "node:url";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import { writeKubeconfig } from "../kubeconfig.ts";
import { type Program, startListening } from "../process/program.ts";
import { interleave, median } from "../statistics.ts";
import { type Bundle, eagerPart } from "./bundle.ts";
import { firstAnswer } from "./first-answer.ts";
import { irrelevantEvent } from "./irrelevant-event.ts";
import { memoryAfterJudging } from "./memory.ts";
import { throughput } from "./throughput.ts";

/** One figure: ours, what it is measured against, their ratio, and the budget that the ratio has to keep to. */
export interface Figure {
  readonly what: string;
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly budget: number;
  /** Whether the ratio may be at most, or must be at least, the budget. */
  readonly bound: "at most" | "at least";
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const bare: Program = { args: [here("bare-server.cjs")] };
const programOf = ({ entry }: Bundle, environment: Program["environment"] = {}): Program => ({
  args: [entry],
  environment: { ...functionEnvironment, ...environment },
});

/** Whether a figure keeps to its budget. */
export const isKept = ({ ratio, budget, bound }: Figure) => (bound === "at most" ? ratio <= budget : ratio >= budget);

/** Bytes that are evaluated at every cold start; the budget is 1.1 MB. */
export const eagerBytes = (bundle: Bundle) => eagerPart(bundle).bytes;
export const eagerBudget = 1_100_000;

/** From the start of the process to the first irrelevant event answered, and memory then; medians of rounds in turn. */
export async function measureStart(bundle: Bundle, rounds: number): Promise<Figure[]> {
  const event = irrelevantEvent();
  const subjects = [bare, programOf(bundle)];
  // Once for the disk's sake.
  await interleave(1, subjects, (program) => firstAnswer(program, event));
  const [theirs = [], ours = []] = await interleave(rounds, subjects, (program) => firstAnswer(program, event));
  const figure = (what: string, field: "time" | "rss", budget: number): Figure => {
    const [a, b] = [median(ours.map((one) => one[field])), median(theirs.map((one) => one[field]))];
    return { what, ours: a, theirs: b, ratio: a / b, budget, bound: "at most" };
  };
  return [figure("start to first answer, ms", "time", 2.0), figure("memory then, bytes", "rss", 1.3)];
}

/** Irrelevant events answered per second: both servers warm, in turn, each with the same load. */
export async function measureThroughput(bundle: Bundle, rounds: number, milliseconds: number): Promise<Figure> {
  const servers = await Promise.all([bare, programOf(bundle)].map((program) => startListening(program)));
  try {
    await interleave(1, servers, (server) => throughput(server, milliseconds));
    const [theirs = [], ours = []] = await interleave(rounds, servers, (server) => throughput(server, milliseconds));
    const [a, b] = [median(ours.map(({ rate }) => rate)), median(theirs.map(({ rate }) => rate))];
    return { what: "irrelevant events per second", ours: a, theirs: b, ratio: a / b, budget: 0.5, bound: "at least" };
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
  }
}

/** Memory after a namespace of `many` pods was judged, against one of `few`. */
export async function measureMemory(bundle: Bundle, rounds: number, few: number, many: number): Promise<Figure> {
  const server = await startListening({ args: [here("pods-server.ts")] });
  try {
    const program = programOf(bundle, { KUBECONFIG: writeKubeconfig(`http://127.0.0.1:${server.port}`) });
    const [small = [], large = []] = await interleave(rounds, [few, many], (pods) => memoryAfterJudging(program, pods));
    const [a, b] = [median(large.map(({ rss }) => rss)), median(small.map(({ rss }) => rss))];
    const what = `memory after ${many} pods, against ${few}, bytes`;
    return { what, ours: a, theirs: b, ratio: a / b, budget: 1.1, bound: "at most" };
  } finally {
    await server.kill();
  }
}
