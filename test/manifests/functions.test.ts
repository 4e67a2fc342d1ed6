import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { loadDeclared, loadSystems, systemOf } from "../../build/manifests/declared.ts";
import { readTable } from "../../functions/platform/sweep/table.ts";
import { slug } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";
import { grant, grantsOf } from "./grants.ts";
import { readKustomization, readTogether, root } from "./kustomization.ts";
import { ofKind } from "./schemas/schemas.ts";
import { declaredTriggers, passes, triggeredBy } from "./triggers.ts";

const functions = await loadDeclared(root);
const systems = await loadSystems(root);
const standard = "knative/overlays/default";
const optional = [...systems.values()].filter((system) => system.optional).map(({ name }) => name);
/** What an optional system adds to the default. */
const added = (system: string) => [`knative/access/${system}`, `knative/${system}`];
/** What a function that is an option by itself adds. */
const onRequest = functions.filter(({ overlay }) => overlay);
const addedBy = ({ name, overlay }: (typeof functions)[number]) => `knative/${systemOf({ name })}/${overlay}`;
const objects = readTogether([standard, ...optional.flatMap(added), ...onRequest.map(addedBy)]);
/** What there is where a function is installed, and nothing of systems that need not be. */
const around = (name: string) => {
  const system = systemOf({ name });
  const itself = onRequest.find((one) => one.name === name);
  return readTogether([standard, ...(itself ? [addedBy(itself)] : optional.includes(system) ? added(system) : [])]);
};
const options = globSync("knative/*/*/triggers.yaml", { cwd: root }).map(dirname);

const triggers = ofKind("Trigger", objects);
const serviceOf = (name: string) => ofKind("Service", objects).find(({ metadata }) => metadata.name === name);
const containerOf = (name: string) => serviceOf(name)?.spec.template.spec.containers[0];

describe.each(functions.map((declared) => [declared.name, declared] as const))("%s", (name, declared) => {
  test("may do what it declares and nothing else", () => {
    const declares = (inOneNamespace: boolean) =>
      declared.permissions
        .filter(({ overlay }) => !overlay)
        .filter((one) => Boolean(one.ownNamespace ?? one.namespaceSetting) === inOneNamespace)
        .flatMap(({ resource, subresource, verbs }) => verbs.map((verb) => grant(resource, verb, subresource)))
        .sort();
    const here = around(name);
    const bound = [...ofKind("ClusterRoleBinding", here), ...ofKind("RoleBinding", here)]
      .filter(({ subjects: [account] }) => account.name === slug(name))
      .map(({ roleRef }) => roleRef);
    const granted = (kind: "ClusterRole" | "Role") =>
      ofKind(kind, here)
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
    const { env = [], envFrom = [] } = containerOf(slug(name)) ?? {};
    const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const maps = envFrom.map(({ configMapRef }) =>
      ofKind("ConfigMap", objects).find(({ metadata }) => metadata.name === configMapRef.name),
    );
    const environment: Record<string, string | undefined> = Object.assign({}, ...maps.map((map) => map?.data), own);
    expect(readSettings(declared.settings, environment)).toEqual(readSettings(declared.settings, {}));
    const common = Object.keys(declared.common?.shape ?? {}).length;
    expect(Object.keys(own)).toHaveLength(Object.keys(declared.settings.shape).length - common + 1);
    expect(environment).toMatchObject({ LOG_LEVEL: "info" });
  });

  test("is triggered by what it declares and nothing else, by default and with each option", () => {
    expect(triggeredBy(declared, around(name))).toEqual(declaredTriggers(declared));
    expect(options.length).toBeGreaterThan(0);
    for (const folder of options)
      expect(triggeredBy(declared, readKustomization(folder).objects)).toEqual(
        declaredTriggers(declared, basename(folder)),
      );
  });
});

test("only a function that acts as the user who asks has no token, and it has no rights either", () => {
  const withToken = ofKind("ServiceAccount", objects).filter(
    ({ automountServiceAccountToken }) => automountServiceAccountToken,
  );
  const accounts = withToken.map(({ metadata }) => metadata.name);
  for (const { name, anonymous, permissions } of functions) {
    expect([name, accounts.includes(slug(name))]).toEqual([name, !anonymous]);
    const spec = serviceOf(slug(name))?.spec.template.spec;
    expect(spec?.automountServiceAccountToken).toBe(anonymous ? false : undefined);
    if (anonymous) expect(permissions).toEqual([]);
  }
  expect(functions.filter(({ anonymous }) => anonymous).map(({ name }) => name)).toEqual(["platform/console"]);
});

test("a function that is an option by itself is installed with its overlay, and by nothing else", () => {
  for (const { name, overlay } of onRequest) {
    const inOverlay = readKustomization(`knative/overlays/${overlay}`).objects;
    expect(ofKind("Service", inOverlay).map(({ metadata }) => metadata.name)).toContain(slug(name));
    expect(inOverlay).toHaveLength(readTogether([standard]).length + 2);
    expect(JSON.stringify(readTogether([standard]))).not.toContain(slug(name));
  }
  expect(onRequest.map(({ name }) => name)).toEqual(["platform/console"]);
});

test("ConfigMaps are written by name: others of the namespace say where external systems are", () => {
  const rules = ofKind("Role", objects)
    .filter(({ metadata }) => metadata.namespace === "holdfast")
    .flatMap(({ metadata, rules }) => rules.map((rule) => ({ metadata, ...rule })));
  const writes = rules.filter(({ resources, verbs }) => resources.includes("configmaps") && verbs.includes("patch"));
  expect(writes.map(({ metadata, resourceNames }) => [metadata.name, resourceNames])).toEqual([
    ["platform-dead-letter", ["holdfast-dead-letters"]],
    ["platform-sweep", ["holdfast-sweep"]],
  ]);
});

test("no account is bound to a role of another function", () => {
  const accounts = [...ofKind("ClusterRoleBinding", objects), ...ofKind("RoleBinding", objects)].map(
    ({ roleRef, subjects: [account] }) => `${roleRef.kind} ${roleRef.name} of ${account.name}`,
  );
  for (const binding of accounts) {
    const own = binding.replace(new RegExp(`-(${optional.join("|")}) of `), " of ");
    expect(own).toMatch(/^(?:ClusterRole holdfast-|Role (?:holdfast-)?)(\S+) of \1$/);
  }
});

test("dead-lettered events can be shown on every kind whose events a Trigger hands on", () => {
  for (const declared of functions) {
    const here = around(declared.name);
    const roles = ofKind("ClusterRoleBinding", here)
      .filter(({ subjects: [account] }) => account.name === "platform-dead-letter")
      .map(({ roleRef }) => roleRef.name);
    const granted = ofKind("ClusterRole", here)
      .filter(({ metadata }) => roles.includes(metadata.name))
      .flatMap(grantsOf);
    for (const { kind } of declared.triggers ?? []) expect(granted).toContain(grant(kind, "get"));
  }
});

test("a Trigger waits longer than its function may take, and sends its dead-lettered events on", () => {
  for (const { spec } of triggers) {
    const { retry, backoffPolicy, backoffDelay, timeout, deadLetterSink } = spec.delivery;
    const seconds = Number(/^PT(\d+)S$/.exec(timeout)?.[1]);
    expect(seconds).toBeGreaterThan(serviceOf(spec.subscriber.ref?.name ?? "")?.spec.template.spec.timeoutSeconds ?? 0);
    expect([retry, backoffPolicy, backoffDelay]).toEqual([5, "exponential", "PT0.5S"]);
    expect(deadLetterSink.ref.name).toBe("platform-dead-letter");
  }
});

test(
  "no Trigger's delivery or broker changes from release to release: many at once leave stale subscribers in " +
    "channels",
  () => {
    for (const { metadata, spec } of triggers) {
      expect(spec.delivery).toEqual({
        retry: 5,
        backoffPolicy: "exponential",
        backoffDelay: "PT0.5S",
        timeout: "PT310S",
        deadLetterSink: {
          ref: { apiVersion: "serving.knative.dev/v1", kind: "Service", name: "platform-dead-letter" },
        },
      });
      expect(metadata.name.endsWith(`-${spec.broker}`)).toBe(true);
    }
  },
);

test("a function has one Trigger per broker, because each costs a request for every event", () => {
  const pairs = triggers.map(({ spec }) => `${spec.subscriber.ref?.name} ${spec.broker}`);
  expect(new Set(pairs).size).toBe(pairs.length);
});

test("sources watch what triggers a function by default, and may watch nothing else", () => {
  const woken = functions.flatMap(({ triggers = [] }) =>
    triggers.filter(({ overlay }) => !overlay).map(({ kind }) => kind),
  );
  const sources = ofKind("ApiServerSource", objects);
  const watched = sources.flatMap(({ spec }) => spec.resources.map(({ kind }) => kind));
  // Two optional systems may watch a kind that the default does not.
  expect([...new Set(watched)].sort()).toEqual([...new Set(woken.map(({ kind }) => kind))].sort());

  // Namespaced kinds and others have sources of their own, under one account.
  for (const [account, members] of Map.groupBy(sources, ({ spec }) => spec.serviceAccountName)) {
    const resources = members.flatMap(({ spec }) => spec.resources);
    const kinds = woken.filter((known) => resources.some(({ kind }) => kind === known.kind));
    const wanted = kinds.flatMap((kind) => ["get", "list", "watch"].map((verb) => grant(kind, verb)));
    const bound = ofKind("ClusterRoleBinding", objects).filter(({ subjects }) => subjects[0]?.name === account);
    const roles = bound.flatMap(({ roleRef }) =>
      ofKind("ClusterRole", objects).filter(({ metadata }) => metadata.name === roleRef.name),
    );
    expect(roles.flatMap(grantsOf).sort()).toEqual([...new Set(wanted)].sort());
  }
});

test("a system adds a source, and with it an adapter, only for a broker that the default has none for", () => {
  const of = (folders: readonly string[]) => ofKind("ApiServerSource", readTogether(folders));
  const brokers = new Set(of([standard]).map(({ spec }) => spec.sink.ref.name));
  for (const system of optional) {
    const own = of(added(system)).map(({ spec }) => spec.sink.ref.name);
    expect(
      own.filter((broker) => brokers.has(broker)),
      system,
    ).toEqual([]);
  }
  // With all systems there were two more.
  expect(of([standard, ...optional.flatMap(added)]).map(({ metadata }) => metadata.name)).toEqual([
    "storage",
    "storage-cluster",
    "workloads",
    "eviction-nodes",
    "eviction-nodes-cluster",
    "satellite-nodes",
    "satellite-nodes-cluster",
  ]);
});

test("the sweep's table has a row for each thing that a rule wants looked for, and its events reach that rule", () => {
  const tables = ofKind("ConfigMap", objects).flatMap(({ data }) => data["table.yaml"] ?? []);
  const read = tables.map((text) => readTable(text, "holdfast"));
  expect(read.flatMap(({ faults }) => faults)).toEqual([]);
  const rows = read.flatMap(({ rows }) => rows).filter(({ listed = true }) => listed);
  const wanted = functions.flatMap(({ name, sweep = [] }) =>
    sweep.map(({ kind, when }) => ({ rule: name, kind: kind.kind, resource: kind.plural, ...(when ? { when } : {}) })),
  );
  const sorted = <T extends { rule: string }>(all: readonly T[]) =>
    all.toSorted((a, b) => (a.rule === b.rule ? 0 : a.rule < b.rule ? -1 : 1));
  expect(sorted(rows)).toMatchObject(sorted(wanted));
  for (const { sink, rule, apiVersion, kind, signal = "dev.holdfast.sweep" } of rows) {
    const [, namespace, broker] = new URL(sink).pathname.split("/");
    const ours = triggers.filter(({ spec }) => spec.broker === broker && spec.subscriber.ref?.name === slug(rule));
    expect(ours.map(({ metadata }) => metadata.namespace)).toEqual([namespace]);
    expect(ours.some((trigger) => passes(trigger, signal, { apiVersion, kind }))).toBe(true);
    // A poll is for its rule alone.
    const others = triggers.filter(({ spec }) => spec.subscriber.ref?.name !== slug(rule));
    if (signal !== "dev.holdfast.sweep")
      expect(others.filter((trigger) => passes(trigger, signal, { apiVersion, kind }))).toEqual([]);
  }
});

test("each kind that triggers a rule has a row of its system, so that its dead-lettered events are sent again", () => {
  for (const [system, members] of Map.groupBy(functions, systemOf)) {
    const table = ofKind("ConfigMap", objects).find(({ metadata }) => metadata.name === `holdfast-sweep-${system}`);
    const { rows } = readTable(table?.data["table.yaml"] ?? "[]", "holdfast");
    const known = rows.flatMap(({ signal, apiVersion, kind, namespaced, sink }) =>
      signal ? [] : [`${apiVersion} ${kind} ${namespaced} ${new URL(sink).pathname}`],
    );
    for (const { name, triggers = [] } of members)
      for (const { kind } of triggers)
        expect(known, name).toContain(`${kind.apiVersion} ${kind.kind} ${kind.namespaced} /holdfast/${kind.family}`);
  }
});

test("of a sweep table only finalizers are in quotation marks, by which overlays replace them", () => {
  for (const { data } of ofKind("ConfigMap", objects)) {
    const text = data?.["table.yaml"] ?? "";
    const quoted = text.split("\n").filter((line) => line.includes('"'));
    expect(quoted.filter((line) => !/^ +(aliveWithout|deletingWith): "[^"]+"$/.test(line))).toEqual([]);
  }
});
