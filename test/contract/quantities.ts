import { describe, expect, test } from "vitest";
import { type Kind, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { quantityValue } from "../../shared/kubernetes/quantity.ts";
import { manifest, pod } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

const LimitRange: Kind = { apiVersion: "v1", kind: "LimitRange", plural: "limitranges", namespaced: true };

const numbers = ["0", "1", "2.", "007", "1.5", ".25", "1.001", "3000", "1024", "1100.00", "9007199254740991"];
const powers = ["", "e0", "e3", "E3", "e+6", "E-3", "e-03", "e15"];
const suffixes = [...powers, ..."numkMGTPE", ..."KMGTPE".replaceAll(/./g, "$&i ").trim().split(" ")];
// No size is like those that are left out: the server rounds a fraction of a billionth up, and writes 3000E as 3.
const isUsual = (text: string) => !/\.\d+n$|^3000E$/.test(text);
const unsigned = numbers.flatMap((number) => suffixes.map((suffix) => number + suffix)).filter(isUsual);
const readable = [...unsigned, ...unsigned.map((text) => `+${text}`), " 1Gi ", 5, 1.5, 1e21];

const wrongSuffixes =
  "K i ki mi Ni ui Kib KB B b % x kk Kik Ki5 m- k+3 e e+ E- e1.5 e3k e3Ki Ee3 e--3 e+-3 .. .2.3 ,5 _0 constructor";
const unreadable = [
  ...wrongSuffixes.split(" ").flatMap((suffix) => [`1${suffix}`, `2.5${suffix}`]),
  ..."--1 +-1 0x10 Infinity NaN null $1 \u0663 1\u00b5 true".split(" "),
  ...["", " ", "1 Gi", "- 1", "\t1", "1\n"],
];

/** A volume may be of any size: a ResourceQuota takes integers only. */
async function writtenAs({ admin, namespace }: Bench, sizes: readonly unknown[]): Promise<readonly unknown[]> {
  const volumes = sizes.map((sizeLimit, index) => ({ name: `v${index}`, emptyDir: { sizeLimit } }));
  const object = pod({ namespace, name: "a" }, [], { volumes });
  const { spec } = await admin.request<KubernetesObject>("POST", `${pathOf(Pod, namespace)}?dryRun=All`, object);
  const written = (spec as { volumes: typeof volumes }).volumes;
  return sizes.map((_, index) => written.find(({ name }) => name === `v${index}`)?.emptyDir.sizeLimit);
}

/** Which texts are quantities, and that the server's own spelling of each has the value that rules read. */
export function quantities(open: () => Promise<Bench>): void {
  describe("a quantity", () => {
    test("has the same value when the server has written it", async () => {
      const written = await writtenAs(await open(), readable);
      const differing = readable.flatMap((text, at) =>
        quantityValue(text) === quantityValue(written[at]) ? [] : [`${text} ${written[at]}`],
      );
      expect(differing).toEqual([]);
    });

    test("is none of what the server refuses", async () => {
      const bench = await open();
      const answers = unreadable.map(async (text) => {
        const { status } = await failure(writtenAs(bench, [text]));
        return [text, status, quantityValue(text)];
      });
      expect(await Promise.all(answers)).toEqual(unreadable.map((text) => [text, 400, Number.NaN]));
    });
  });
}

/** That quantities are ordered as rules order them. Only a real server has LimitRange, which compares them. */
export function orderOfQuantities(open: () => Promise<Bench>): void {
  const limits = ({ admin, namespace }: Bench, min: readonly unknown[], max: readonly unknown[]) => {
    const named = (values: readonly unknown[]) =>
      Object.fromEntries(values.map((value, index) => [`n${index}.example/x`, value]));
    const spec = { limits: [{ type: "Pod", min: named(min), max: named(max) }] };
    const object = manifest(LimitRange, { namespace, name: "a" }, { spec });
    return admin.request("POST", `${pathOf(LimitRange, namespace)}?dryRun=All`, object);
  };

  describe("quantities of a LimitRange", () => {
    test("have the order of their values", async () => {
      const bench = await open();
      // Before it compares them, the server rounds these up to thousandths.
      const isSafe = (text: unknown) => quantityValue(text) === 0 || Math.abs(quantityValue(text)) >= 1;
      const all = [...readable, ...unsigned.map((text) => `-${text}`)].filter(isSafe);
      const sorted = all.toSorted((a, b) => quantityValue(a) - quantityValue(b));
      const [lower, higher] = [sorted.slice(0, -1), sorted.slice(1)];
      await limits(bench, lower, higher);

      // The other way round, the server refuses all but those that are equal.
      const { causes } = await failure(limits(bench, higher, lower));
      const refused = causes.map(({ field }) => Number(/\[n(\d+)\./.exec(field ?? "")?.[1]));
      const differing = lower.flatMap((text, at) => (quantityValue(text) < quantityValue(higher[at]) ? [at] : []));
      expect(refused.toSorted((a, b) => a - b)).toEqual(differing);
    });

    test("are 0 without a digit, which rules do not read", async () => {
      const without = ["+", ".", "Ki", "-m", "e3"];
      const zeros = without.map(() => 0);
      await limits(await open(), [...without, ...zeros], [...zeros, ...without]);
      expect(without.map(quantityValue)).toEqual(without.map(() => Number.NaN));
    });
  });
}
