import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Declared, loadDeclared } from "../../build/manifests/declared.ts";
import { writePolicyOf } from "../../build/manifests/write-policy.ts";
import { groupOf, type Kind, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { withStatus } from "../../shared/kubernetes/status-conditions.ts";
import { mapConcurrently } from "../../shared/map-concurrently.ts";
import { slug } from "../../shared/rule.ts";
import { install } from "../harness/installation.ts";
import { definition } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { type Attempt, attemptsOf, builtin } from "./forged-attempts.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));

/** A kind as a test has it, which leaves the real definitions to others. */
export const inTest = (kind: Kind, namespace: string): Kind =>
  kind.kind in builtin ? kind : { ...kind, apiVersion: `test.${namespace}.${groupOf(kind) || "core"}/v1` };

const functionsInTest = (functions: readonly Declared[], namespace: string) =>
  functions.map((one) => ({
    ...one,
    permissions: one.permissions.map(({ bounds, ...of }) => ({
      ...of,
      resource: inTest(of.resource, namespace),
      ...(bounds
        ? { bounds: bounds.map((one) => (one.each ? { ...one, each: inTest(one.each, namespace) } : one)) }
        : {}),
    })),
  }));

/** Installs the definitions of the kinds that functions write, and the policies, which know accounts of the test. */
export async function installPolicies(
  { admin, namespace }: Bench,
  declared: readonly Declared[],
): Promise<{ readonly functions: readonly Declared[]; readonly kinds: readonly Kind[]; withdraw(): Promise<void> }> {
  const functions = functionsInTest(declared, namespace);
  const writing = functions.flatMap(({ permissions }) =>
    permissions.filter(({ verbs }) => verbs.some((verb) => verb !== "get" && verb !== "list")),
  );
  const all = writing.flatMap(({ resource, bounds = [] }) => [resource, ...bounds.flatMap(({ each }) => each ?? [])]);
  const kinds = [...new Map(all.map((kind) => [kind.kind, kind])).values()];
  const policies = JSON.stringify(functions.flatMap(writePolicyOf))
    .replaceAll('"holdfast-', `"${namespace}-`)
    // Policies hold for an account of this name in all namespaces, and those of a test not for longer than it.
    .replaceAll('endsWith(\\":', `endsWith(\\":${namespace}-`);
  const definitions = kinds.filter(({ kind }) => !(kind in builtin)).map((kind) => definition(kind, withStatus));
  const uninstall = await install(admin, definitions);
  onTestFinished(async () => void (await uninstall()));
  const withdraw = await install(admin, JSON.parse(policies));
  onTestFinished(async () => void (await withdraw()));
  return { functions, kinds, withdraw: async () => void (await withdraw()) };
}

/** What each account may not write, derived from its function's declaration. */
export function forgedWrites(open: () => Promise<Bench>): void {
  test("each account is refused undeclared writes, by each verb of its role, and may do the rest", async () => {
    const bench = await open();
    const { attempts, wrong } = await prepare(bench);
    // A real server learns of policies by watching them, in the order in which they were created.
    const last = attempts.slice(-1).map(({ account }) => account);
    const ofLast = attempts.filter(({ account, refusal }) => last.includes(account) && refusal !== undefined);
    const isLastInForce = async () =>
      !(await Promise.all(ofLast.map(wrong))).flat().some((one) => one.endsWith(" taken"));
    await bench.eventually("the last policy is in force", isLastInForce);
    expect(attempts.length).toBeGreaterThan(800);
    expect((await mapConcurrently(attempts, wrong)).flat()).toEqual([]);
  });
}

/** That nothing but the policies refuses these writes: each attempt would show that its policy is missing. */
export function forgedWritesAreTaken(open: () => Promise<Bench>): void {
  test("without the policies, each undeclared write is taken", async () => {
    const bench = await open();
    const { attempts, withdraw } = await prepare(bench);
    await withdraw();
    const forged = attempts.filter(({ refusal }) => refusal !== undefined);
    const answers = await mapConcurrently(forged, (attempt) => tried(bench, attempt));
    expect(forged.length).toBeGreaterThan(600);
    expect(
      forged.flatMap((one, index) => (answers[index] === "taken" ? [] : [[titleOf(one), answers[index]]])),
    ).toEqual([]);
  });
}

async function prepare(bench: Bench) {
  const { functions, kinds, withdraw } = await installPolicies(bench, declared);
  const attempts = functions.flatMap((one) => attemptsOf(one, bench.namespace));
  await Promise.all(kinds.map((kind) => isServed(bench, kind)));
  const objects = new Map(attempts.flatMap(({ kind, on }) => (on ? [[keyOf(on), { kind, on }]] : [])));
  for (const { kind, on } of objects.values()) await create(bench, kind, on);
  // A real server refuses what a policy with parameters selects, until it knows the kind of these.
  const pods = attempts.filter(({ kind, verb }) => kind.kind === Pod.kind && verb === "create");
  await bench.eventually("the kinds of all parameters are known", async () =>
    (await mapConcurrently(pods, (attempt) => tried(bench, attempt))).every((answer) => !isUnknownKind(answer)),
  );
  const wrong = async (attempt: Attempt) => {
    const { account, refusal } = attempt;
    const wanted = refusal === undefined ? "taken" : `denied request: ${account} only `;
    const answer = await tried(bench, attempt);
    return answer.includes(wanted) && answer.includes(refusal ?? "") ? [] : [`${titleOf(attempt)}: ${answer}`];
  };
  return { attempts, withdraw, wrong };
}

const titleOf = ({ account, kind, verb, subresource, body }: Attempt) =>
  `${account}, ${verb} ${kind.kind}/${subresource ?? ""}, ${JSON.stringify(body)}`;

const keyOf = ({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject) =>
  [apiVersion, kind, namespace, name].join(" ");

/** What the server answers to a dry run by the account. */
function tried({ admin, namespace }: Bench, { account, kind, verb, subresource, on, body }: Attempt): Promise<string> {
  const as = {
    "impersonate-user": `system:serviceaccount:${namespace}:${namespace}-${slug(account)}`,
    // It has all rights: only a policy can refuse it.
    "impersonate-group": "system:masters",
  };
  const place = kind.namespaced ? namespace : undefined;
  const path = `${pathOf(kind, place, on?.metadata.name, subresource)}?dryRun=All`;
  const method = ({ create: "POST", patch: "PATCH", delete: "DELETE" } as const)[verb];
  const headers = verb === "patch" ? { ...as, "content-type": "application/merge-patch+json" } : as;
  return admin.request(method, path, body, headers).then(() => "taken", String);
}

export const isServed = ({ admin, eventually }: Bench, kind: Kind) =>
  eventually(`${kind.kind} is served`, () => admin.request("GET", pathOf(kind)).then(Boolean, () => false));

const isUnknownKind = (answer: string) => answer.includes("failed to find resource referenced by paramKind");

async function create({ admin, eventually }: Bench, kind: Kind, object: KubernetesObject): Promise<void> {
  const { namespace, name } = object.metadata;
  await eventually(`${kind.kind} ${name} is taken`, () =>
    admin.create(kind, object).then(
      () => true,
      (error: Error) => {
        if (isUnknownKind(error.message)) return false;
        throw error;
      },
    ),
  );
  onTestFinished(async () => {
    await admin.patch(kind, namespace, name, "merge", { metadata: { finalizers: null } });
    await admin.delete(kind, namespace, name);
  });
  const { status, ...applied } = object as KubernetesObject & { status?: object };
  // No account may take away that another manager has applied it.
  if ("spec" in applied)
    await admin.patch(kind, namespace, name, "apply", applied, { fieldManager: "another", force: true });
  if (status) await admin.patch(kind, namespace, name, "merge", { status }, { subresource: "status" });
}
