import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { grantsOf } from "../manifests/grants.ts";
import { readKustomization, root, standard } from "../manifests/kustomization.ts";
import { ofKind } from "../manifests/schemas/schemas.ts";
import type { Asked } from "../worlds/asked.ts";
import type { Setting } from "../worlds/world.ts";
import type { Story } from "./story.ts";

/** A story of a system, and one of the settings in which it is told. */
export interface Casting {
  readonly system: string;
  readonly story: Story;
  readonly setting: Setting;
}

/**
 * Every story in the repository, each in one setting: those of a system take turns, so that all of them come in. A system's stories are
 * in `test/scenarios/<system>/stories.ts`, its settings in `settings.ts` beside them. Settings that are
 * not `possible` are passed over.
 */
export async function castings(possible: (setting: Setting) => boolean = () => true): Promise<readonly Casting[]> {
  const files = globSync("test/scenarios/*/stories.ts", { cwd: root }).sort();
  const systems = await Promise.all(
    files.map(async (file) => {
      const load = (path: string) => import(pathToFileURL(join(root, path)).href);
      const { stories } = (await load(file)) as { stories: readonly Story[] };
      const { settings } = (await load(file.replace("stories.ts", "settings.ts"))) as { settings: readonly Setting[] };
      const system = file.split("/").at(-2) as string;
      return stories.flatMap((story, index): Casting[] => {
        const fitting = (story.settings ?? settings).filter(possible);
        const setting = fitting[index % fitting.length];
        return setting ? [{ system, story, setting }] : [];
      });
    }),
  );
  return systems.flat();
}

/** Every system that there is a function of. */
export function systems(): readonly string[] {
  const names = globSync("functions/*/*/index.ts", { cwd: root }).map((file) => file.split("/")[1] as string);
  return [...new Set(names)].sort();
}

/** What the default install grants to the functions of a system, by account: `account: verb group/resource`, sorted. */
export function granted(system: string): readonly string[] {
  const { objects } = readKustomization(standard);
  const roles = [...ofKind("ClusterRole", objects), ...ofKind("Role", objects)];
  const accounts = ofKind("Service", objects)
    .filter(({ metadata }) => metadata.labels["app.kubernetes.io/name"] === system)
    .map(({ spec }) => spec.template.spec.serviceAccountName);
  const all = accounts.flatMap((account) =>
    roles
      .filter(({ metadata: { name } }) => name === account || name === `holdfast-${account}`)
      .flatMap((role) => grantsOf(role).map((grant) => `${account}: ${grant}`)),
  );
  return [...new Set(all)].sort();
}

/** What was asked for with success, written the same way. */
export function used(asked: readonly Asked[]): readonly string[] {
  return [...new Set(asked.filter(({ denied }) => !denied).map(({ account, grant }) => `${account}: ${grant}`))].sort();
}
