import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly aggregationRule?: object;
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const root = join(import.meta.dirname, "../..");
const roles = globSync("{knative,sources}/**/*.yaml", { cwd: root }).flatMap((file) =>
  parseAllDocuments(readFileSync(join(root, file), "utf8"))
    .map((document) => document.toJS() as Role | null)
    .filter((object): object is Role => object?.kind === "Role" || object?.kind === "ClusterRole")
    .map((role) => ({ ...role, file })),
);

/** Every single grant of every role that is shipped, as `role: verb resource`. */
const grants = roles.flatMap(({ kind, metadata, rules = [] }) =>
  rules.flatMap(({ verbs, resources = [], resourceNames = [] }) =>
    verbs.flatMap((verb) =>
      resources.map((resource) => ({ role: metadata.name, kind, verb, resource, isNamed: resourceNames.length > 0 })),
    ),
  ),
);
const inWords = ({ role, verb, resource }: (typeof grants)[number]) => `${role}: ${verb} ${resource}`;
const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

test("a stolen account cannot read secrets, take tokens, run commands in pods, or give itself rights", () => {
  expect(grants.length).toBeGreaterThan(300);
  const never = grants.filter(
    ({ verb, resource }) =>
      /^(\*|escalate|bind|impersonate|deletecollection|update)$/.test(verb) ||
      /\*|^secrets$|token|^pods\/(exec|attach|portforward|ephemeralcontainers)|proxy$/.test(resource) ||
      (writes.has(verb) && /roles|rolebindings|admission|certificate|customresourcedefinitions/.test(resource)),
  );
  // Infrastructure machines of Cluster API, whose kinds are the providers': of that group alone, and to read.
  expect(never.map(inWords)).toEqual(["holdfast-satellite-set-hooks: get *"]);
});

test("what becomes a pod may be written by the accounts that the threat model names, and by no other", () => {
  const running = /^(pods|daemonsets|deployments|replicasets|jobs|cronjobs|services|serviceaccounts)$/;
  const made = grants.filter(({ verb, resource }) => running.test(resource) && ["create", "patch"].includes(verb));
  expect(made.map(inWords).toSorted()).toEqual([
    "holdfast-eviction-keep-pod: create pods",
    "holdfast-eviction-replace-agent: create pods",
    "holdfast-satellite-apply-daemonset: create daemonsets",
    "holdfast-satellite-apply-daemonset: patch daemonsets",
  ]);
  expect(roles.find(({ metadata }) => metadata.name.endsWith("apply-daemonset"))).toBeDefined();
});

test("no role reaches a user's edit, admin or view, or gathers what others grant", () => {
  const gathered = roles.filter(
    ({ metadata: { labels = {} }, aggregationRule }) =>
      aggregationRule || Object.keys(labels).some((label) => label.includes("aggregate-to")),
  );
  expect(gathered.map(({ metadata }) => metadata.name)).toEqual([]);
});
