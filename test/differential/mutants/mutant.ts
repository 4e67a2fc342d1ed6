import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { receive } from "../../../shared/pipeline/receive.ts";
import { on, rule, slug } from "../../../shared/rule.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Handler, Start } from "../../harness/functions.ts";
import { lookAtSet, reading, type Seen, setOf } from "./look.ts";

/** A rule with a fault on purpose, which runs in the place of a function of the repository. */
export interface Mutant {
  readonly name: string;
  /** A sentence: the fault, as its author might defend it. */
  readonly doc: string;
  /** Its declaration, by the name of the function in whose place it runs. */
  readonly rule: { readonly name: string };
  start(start: Start): Handler;
  /** An object of the installation, with what the rule says that it may do. */
  grant(object: KubernetesObject): KubernetesObject;
}

/**
 * A mutant of a function about StatefulSets: it has the declaration of one, looks at what {@link lookAtSet} sees, and
 * decides what it is given. `replaces` names the function in whose place it runs.
 */
export function mutant({
  name,
  doc,
  replaces,
  decide,
}: {
  name: string;
  doc: string;
  replaces: string;
  decide: (seen: Seen) => readonly Decision[];
}): Mutant {
  const declared = rule({
    name: replaces,
    doc,
    settings: z.object({}),
    triggers: [on(StatefulSet, ["add", "update"])],
    permissions: reading,
    sweep: [],
    subjects: setOf,
    look: lookAtSet,
    decide,
  });
  return {
    name,
    doc,
    rule: declared,
    start: ({ environment, ...tools }) =>
      receive(declared, { ...tools, settings: readSettings(declared.settings, environment) }),
    grant: (object) => {
      if (object.kind !== "ClusterRole" || !object.metadata.name.endsWith(slug(declared.name))) return object;
      const rules = declared.permissions.map(({ resource, verbs }) => ({
        apiGroups: [resource.apiVersion.includes("/") ? resource.apiVersion.split("/")[0] : ""],
        resources: [resource.plural],
        verbs,
      }));
      return { ...object, rules };
    },
  };
}
