import { expect, test } from "vitest";
import { type Explanation, explain } from "../../cli/explain/explain.ts";
import { printExplanation } from "../../cli/explain/print.ts";
import type { Asking } from "../../cli/rules/judge.ts";
import { type Kind, PersistentVolume, PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Progress, readProgress } from "../../shared/progress.ts";
import { progressNameOf } from "../../shared/rule.ts";
import type { Connect } from "../../shared/system/connect.ts";
import type { WhenOver } from "../worlds/bench.ts";
import type { Setting, World } from "../worlds/world.ts";
import { allRules, rulesOf } from "./installed-rules.ts";

/** What rules are asked with in a world. */
function askingIn({ admin, clock, setting }: World): Asking {
  const none: Connect = () => {
    throw new Error("No rule of this setting has an external system.");
  };
  return { client: admin, clock, connect: () => setting.connect?.(clock) ?? none };
}

/** An explanation as it is printed, in 80 columns. */
function printed(explanation: Explanation, now: number): string {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  printExplanation(explanation, now, { width: 80, paint: (_, text) => text, print });
  return lines.join("\n");
}

/** What is written down on an object, by the name under which rules write it. */
function progressOn(object: KubernetesObject): ReadonlyMap<string, Progress> {
  const names = new Set(allRules.map(progressNameOf));
  return new Map(
    [...names].flatMap((name) => {
      const progress = readProgress(object, name);
      return progress ? [[name, progress] as const] : [];
    }),
  );
}

const joined = (text: string) => text.replaceAll(/\s+/g, " ");

/** What an explanation lacks: a finalizer of the object, or the cause that is written down on it, unless it changed. */
function lackingIn(explanation: Explanation, now: number, object: KubernetesObject): readonly string[] {
  const text = joined(printed(explanation, now));
  const causes = [...progressOn(object)].flatMap(([name, { because }]) => {
    const changed = explanation.words.some(
      ({ rule, difference }) =>
        difference && allRules.some((one) => one.name === rule && progressNameOf(one) === name) && text.includes(rule),
    );
    return changed || text.includes(joined(because)) ? [] : [because];
  });
  const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => !text.includes(finalizer));
  return [...causes, ...finalizers];
}

const kinds: readonly Kind[] = [PersistentVolumeClaim, PersistentVolume, StatefulSet];

/** What was explained, and how. */
interface Explained {
  readonly object: KubernetesObject;
  readonly explanation: Explanation;
}

/** A world in which everything that waits is explained whenever the scenario has waited for something. */
function withExplanations(world: World, seen: Explained[]): World {
  const rules = rulesOf(world.setting);
  const known = new Set<string>();
  const explainAll = async () => {
    for (const kind of kinds)
      for await (const object of world.admin.list<KubernetesObject>(kind)) {
        const { uid, resourceVersion } = object.metadata;
        if (progressOn(object).size === 0 || known.has(`${uid} ${resourceVersion}`)) continue;
        known.add(`${uid} ${resourceVersion}`);
        const explanation = await explain(kind, object, rules, askingIn(world));
        expect(explanation.gaps).toEqual([]);
        expect(lackingIn(explanation, world.clock.now(), object)).toEqual([]);
        seen.push({ object, explanation });
      }
  };
  return {
    ...world,
    eventually: async (...waiting) => {
      const value = await world.eventually(...waiting);
      await explainAll();
      return value;
    },
  };
}

/**
 * Opens worlds in which whatever waits in one setting is explained by its cause, and proves that the explanations are
 * worth something; `prove` comes after the scenarios. Other settings decide alike, and would cost as much again.
 */
export function explaining(
  open: (setting: Setting, test: { whenOver: WhenOver }) => Promise<World>,
  explained: Setting,
) {
  const seen: Explained[] = [];
  return {
    open: async (...how: Parameters<typeof open>) => {
      const world = await open(...how);
      return world.setting === explained ? withExplanations(world, seen) : world;
    },
    prove() {
      test("every line of an explanation fits into 80 columns, unless it is one word", () => {
        for (const { explanation } of seen)
          for (const line of printed(explanation, 0).split("\n"))
            expect(line.length <= 80 || !line.trim().includes(" "), line).toBe(true);
      });

      test("an explanation that is always the same is found to name the wrong cause", () => {
        expect(seen.length).toBeGreaterThan(10);
        const one = seen.find(({ explanation }) => explanation.words.every(({ difference }) => !difference));
        const causes = (object: KubernetesObject) =>
          [...progressOn(object).values()].map(({ because }) => because).join();
        const differing = seen.filter(({ object }) => one && causes(object) !== causes(one.object));
        expect(differing.length).toBeGreaterThan(3);
        for (const { object } of differing) expect(one && lackingIn(one.explanation, 0, object)).not.toEqual([]);
      });
    },
  };
}
