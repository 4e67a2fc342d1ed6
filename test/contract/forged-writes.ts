import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { writePolicyOf } from "../../build/manifests/write-policy.ts";
import { groupOf, type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { withStatus } from "../../shared/kubernetes/status-conditions.ts";
import { slug } from "../../shared/rule.ts";
import { install } from "../harness/installation.ts";
import { definition } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { type Attempt, attemptsOf, builtin } from "./forged-attempts.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));

/** What each account may not write, derived from its function's declaration. */
export function forgedWrites(open: () => Promise<Bench>): void {
  test("each account is refused undeclared writes, by each verb of its role, and may do the rest", async () => {
    const bench = await open();
    const { admin, namespace } = bench;
    // The real definitions are other tests'.
    const ofTest = (kind: Kind) =>
      kind.kind in builtin ? kind : { ...kind, apiVersion: `test.${namespace}.${groupOf(kind) || "core"}/v1` };
    const functions = declared.map((one) => {
      return { ...one, permissions: one.permissions.map((of) => ({ ...of, resource: ofTest(of.resource) })) };
    });
    const attempts = functions.flatMap((one) => attemptsOf(one, namespace));
    const kinds = [...new Map(attempts.map(({ kind }) => [kind.kind, kind])).values()];
    const policies = JSON.stringify(functions.flatMap(writePolicyOf)).replaceAll('"holdfast-', `"${namespace}-`);
    const definitions = kinds.filter(({ kind }) => !(kind in builtin)).map((kind) => definition(kind, withStatus));
    const uninstall = await install(admin, [...definitions, ...JSON.parse(policies)]);
    onTestFinished(async () => void (await uninstall()));
    await Promise.all(kinds.map((kind) => isServed(bench, kind)));
    const objects = new Map(attempts.flatMap(({ kind, on }) => (on ? [[keyOf(on), { kind, on }]] : [])));
    for (const { kind, on } of objects.values()) await create(bench, kind, on);

    const wrong = async (attempt: Attempt) => {
      const { account, kind, verb, subresource, refusal, body } = attempt;
      const wanted = refusal === undefined ? "taken" : `denied request: ${account} only `;
      const answer = await tried(bench, attempt);
      if (answer.includes(wanted) && answer.includes(refusal ?? "")) return [];
      return [`${account}, ${verb} ${kind.kind}/${subresource ?? ""}, ${JSON.stringify(body)}: ${answer}`];
    };
    // A real server learns of policies by watching them, in the order in which they were created.
    const last = attempts.slice(-1).map(({ account }) => account);
    const ofLast = attempts.filter(({ account, refusal }) => last.includes(account) && refusal !== undefined);
    const isLastInForce = async () =>
      !(await Promise.all(ofLast.map(wrong))).flat().some((one) => one.endsWith(" taken"));
    await bench.eventually("the last policy is in force", isLastInForce);
    expect(attempts.length).toBeGreaterThan(800);
    expect((await Promise.all(attempts.map(wrong))).flat()).toEqual([]);
  });
}

const keyOf = ({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject) =>
  [apiVersion, kind, namespace, name].join(" ");

/** What the server answers to a dry run by the account. */
function tried({ admin, namespace }: Bench, { account, kind, verb, subresource, on, body }: Attempt): Promise<string> {
  const as = {
    "impersonate-user": `system:serviceaccount:${namespace}:${slug(account)}`,
    // It has all rights: only a policy can refuse it.
    "impersonate-group": "system:masters",
  };
  const place = kind.namespaced ? namespace : undefined;
  const path = `${pathOf(kind, place, on?.metadata.name, subresource)}?dryRun=All`;
  const method = ({ create: "POST", patch: "PATCH", delete: "DELETE" } as const)[verb];
  const headers = verb === "patch" ? { ...as, "content-type": "application/merge-patch+json" } : as;
  return admin.request(method, path, body, headers).then(() => "taken", String);
}

const isServed = ({ admin, eventually }: Bench, kind: Kind) =>
  eventually(`${kind.kind} is served`, () => admin.request("GET", pathOf(kind)).then(Boolean, () => false));

async function create({ admin }: Bench, kind: Kind, object: KubernetesObject): Promise<void> {
  const { namespace, name } = object.metadata;
  await admin.create(kind, object);
  onTestFinished(async () => {
    await admin.patch(kind, namespace, name, "merge", { metadata: { finalizers: null } });
    await admin.delete(kind, namespace, name);
  });
  const { status } = object as { status?: object };
  if (status) await admin.patch(kind, namespace, name, "merge", { status }, { subresource: "status" });
}
