import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { readTable } from "../../functions/platform/sweep/table.ts";
import { slug } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";
import { grant, grantsOf } from "./grants.ts";
import { readKustomization, root } from "./kustomization.ts";
import { ofKind } from "./schemas/schemas.ts";
import { declaredWakes, passes, wakesOf } from "./wakes.ts";

const functions = await loadDeclared(root);
const { objects } = readKustomization("knative/overlays/default");
const options = globSync("knative/*/*/triggers.yaml", { cwd: root }).map(dirname);

const triggers = ofKind("Trigger", objects);
const serviceOf = (name: string) => ofKind("Service", objects).find(({ metadata }) => metadata.name === name);
const containerOf = (name: string) => serviceOf(name)?.spec.template.spec.containers[0];

describe.each(functions.map((declared) => [declared.name, declared] as const))("%s", (name, declared) => {
  test("may do what it declares and nothing else", () => {
    const declares = (ownNamespace: boolean) =>
      declared.may
        .filter((permission) => !permission.overlay && Boolean(permission.ownNamespace) === ownNamespace)
        .flatMap(({ resource, subresource, verbs }) => verbs.map((verb) => grant(resource, verb, subresource)))
        .sort();
    const bound = [...ofKind("ClusterRoleBinding", objects), ...ofKind("RoleBinding", objects)]
      .filter(({ subjects: [account] }) => account.name === slug(name))
      .map(({ roleRef }) => roleRef);
    const granted = (kind: "ClusterRole" | "Role") =>
      ofKind(kind, objects)
        .filter(({ metadata }) => bound.some((role) => role.kind === kind && role.name === metadata.name))
        .flatMap(grantsOf);
    expect(granted("ClusterRole")).toEqual(declares(false));
    expect(granted("Role")).toEqual(declares(true));
  });

  test("runs under its own account, from its own image", () => {
    expect(serviceOf(slug(name))?.spec.template.spec.serviceAccountName).toBe(slug(name));
    expect(containerOf(slug(name))?.image).toBe(`fn://${name}`);
  });

  test("has every setting in its environment, with its default", () => {
    const environment = Object.fromEntries(containerOf(slug(name))?.env.map(({ name, value }) => [name, value]) ?? []);
    expect(readSettings(declared.settings, environment)).toEqual(readSettings(declared.settings, {}));
    expect(Object.keys(environment)).toHaveLength(Object.keys(declared.settings.shape).length + 1);
    expect(environment).toMatchObject({ LOG_LEVEL: "info" });
  });

  test("is woken by what it declares and nothing else, by default and with each option", () => {
    expect(wakesOf(declared, objects)).toEqual(declaredWakes(declared));
    expect(options.length).toBeGreaterThan(0);
    for (const folder of options)
      expect(wakesOf(declared, readKustomization(folder).objects)).toEqual(declaredWakes(declared, basename(folder)));
  });
});

test("no account is bound to a role of somebody else's", () => {
  const accounts = [...ofKind("ClusterRoleBinding", objects), ...ofKind("RoleBinding", objects)].map(
    ({ roleRef, subjects: [account] }) => `${roleRef.kind} ${roleRef.name} of ${account.name}`,
  );
  for (const binding of accounts) expect(binding).toMatch(/^(?:ClusterRole holdfast-|Role )(\S+) of \1$/);
});

test("a Trigger waits longer than its function may take, and sends its dead letters on", () => {
  for (const { spec } of triggers) {
    const { retry, backoffPolicy, backoffDelay, timeout, deadLetterSink } = spec.delivery;
    const seconds = Number(/^PT(\d+)S$/.exec(timeout)?.[1]);
    expect(seconds).toBeGreaterThan(serviceOf(spec.subscriber.ref?.name ?? "")?.spec.template.spec.timeoutSeconds ?? 0);
    expect([retry, backoffPolicy, backoffDelay]).toEqual([5, "exponential", "PT0.5S"]);
    expect(deadLetterSink.ref.name).toBe("platform-dead-letter");
  }
});

test("a function has one Trigger per broker, because each costs a request for every event", () => {
  const pairs = triggers.map(({ spec }) => `${spec.subscriber.ref?.name} ${spec.broker}`);
  expect(new Set(pairs).size).toBe(pairs.length);
});

test("sources watch what wakes a function by default, and may watch nothing else", () => {
  const woken = functions.flatMap(({ wakes = [] }) => wakes.filter(({ overlay }) => !overlay).map(({ kind }) => kind));
  const sources = ofKind("ApiServerSource", objects);
  const watched = sources.flatMap(({ spec }) => spec.resources.map(({ kind }) => kind));
  expect(watched.sort()).toEqual([...new Set(woken.map(({ kind }) => kind))].sort());

  // Namespaced kinds and others have sources of their own, under one account.
  for (const [account, members] of Map.groupBy(sources, ({ spec }) => spec.serviceAccountName)) {
    const resources = members.flatMap(({ spec }) => spec.resources);
    const kinds = woken.filter((known) => resources.some(({ kind }) => kind === known.kind));
    const wanted = kinds.flatMap((kind) => ["get", "list", "watch"].map((verb) => grant(kind, verb)));
    const role = ofKind("ClusterRole", objects).find(({ metadata }) => metadata.name.endsWith(account));
    expect(grantsOf(role ?? { rules: [] })).toEqual([...new Set(wanted)].sort());
  }
});

test("the sweep's table has a row for each thing that a rule wants looked for, and its events reach that rule", () => {
  const [table] = ofKind("ConfigMap", objects);
  const { rows, faults } = readTable(table?.data["table.yaml"] ?? "", "holdfast");
  expect(faults).toEqual([]);
  const wanted = functions.flatMap(({ name, sweep = [] }) =>
    sweep.map(({ kind, when }) => ({ rule: name, kind: kind.kind, resource: kind.plural, ...(when ? { when } : {}) })),
  );
  expect(rows).toMatchObject(wanted);
  for (const { sink, rule, apiVersion, kind } of rows) {
    const [, namespace, broker] = new URL(sink).pathname.split("/");
    const ours = triggers.filter(({ spec }) => spec.broker === broker && spec.subscriber.ref?.name === slug(rule));
    expect(ours.map(({ metadata }) => metadata.namespace)).toEqual([namespace]);
    expect(ours.some((trigger) => passes(trigger, "dev.holdfast.sweep", { apiVersion, kind }))).toBe(true);
  }
});
