import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared, systemOf } from "../../build/manifests/declared.ts";
import { slug } from "../../shared/rule.ts";
import { declaredEntries, isMadeBy } from "../../shared/writes-of.ts";
import type { AccountRequest } from "../harness/account-request.ts";
import { grant, grantsOf } from "../manifests/grants.ts";
import { readKustomization, root, standard } from "../manifests/kustomization.ts";
import { ofKind } from "../manifests/schemas/schemas.ts";

/**
 * Comes after the scenarios of a system: what the default install grants to its functions, some scenario must have
 * used. `elsewhere`: what only clusters need that these worlds cannot be.
 */
export function proveGrantsAreUsed(
  system: string,
  asked: Iterable<AccountRequest>,
  elsewhere: readonly string[] = [],
): void {
  test(`the functions of ${system} are granted no right that no scenario uses`, () => {
    const used = [...asked].filter(({ denied }) => !denied).map(({ account, grant }) => `${account}: ${grant}`);
    const uses = new Set([...used, ...elsewhere].flatMap(withWhatItBrings));
    expect(granted(system).length).toBeGreaterThan(0);
    expect(
      granted(system)
        .filter((grant) => !uses.has(grant))
        .join("\n"),
    ).toBe("");
  });
}

/**
 * Comes after the scenarios of a system: each write that its functions declare (a key, a finalizer, a kind of owner, a
 * field), some scenario must have made. `elsewhere`: what no scenario does, with the code or test that covers it.
 */
export function proveWritesAreMade(
  system: string,
  asked: Iterable<AccountRequest>,
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  test(`the functions of ${system} declare no write that no scenario makes`, async () => {
    const unmade = await unmadeWrites(system, asked);
    expect(unmade.filter((sentence) => !(sentence in elsewhere)).join("\n")).toBe("");
    expect(Object.keys(elsewhere).filter((sentence) => !unmade.includes(sentence))).toEqual([]);
  });
}

/** The same for these declared writes alone. */
export function proveTheseAreMade(system: string, asked: Iterable<AccountRequest>, sentences: readonly string[]): void {
  test(`the functions of ${system} make ${sentences.length} declared writes that other scenarios do not`, async () => {
    const unmade = await unmadeWrites(system, asked);
    expect(sentences.filter((sentence) => unmade.includes(sentence))).toEqual([]);
  });
}

/** `account: annotations key of Kind`, for each declared write that was not made. */
async function unmadeWrites(system: string, asked: Iterable<AccountRequest>): Promise<readonly string[]> {
  const writes = [...asked].filter(({ written }) => written);
  const isMade = ({ account, rights, entry }: Awaited<ReturnType<typeof declaredWrites>>[number]) =>
    writes.some(
      (one) =>
        one.account === account &&
        rights.includes(one.grant) &&
        one.written?.some((written) => isMadeBy(entry, written)),
    );
  return (await declaredWrites(system)).filter((one) => !isMade(one)).map(({ sentence }) => sentence);
}

/** What the functions of a system declare that they write in the default install, one entry each. */
async function declaredWrites(system: string) {
  const functions = (await loadDeclared(root)).filter((one) => systemOf(one) === system);
  expect(functions.length).toBeGreaterThan(0);
  return functions.flatMap(({ name, permissions }) =>
    permissions
      .filter(({ overlay }) => !overlay)
      .flatMap(({ resource, subresource, verbs, writes = {} }) =>
        declaredEntries(writes).map((entry) => ({
          account: slug(name),
          rights: verbs.map((verb) => grant(resource, verb, subresource)),
          entry,
          sentence: `${slug(name)}: ${entry.of} ${entry.name} of ${resource.kind}`,
        })),
      ),
  );
}

/**
 * A function that records an Event reads the one that is there already, and replaces it: whether there is one depends
 * on which look came first.
 */
function withWhatItBrings(use: string): readonly string[] {
  const [, account, events] = /^(.*): create (events\.k8s\.io\/events)$/.exec(use) ?? [];
  return account ? [use, ...["get", "delete"].map((verb) => `${account}: ${verb} ${events}`)] : [use];
}

/** What an install grants to the functions of a system, by account: `account: verb group/resource`, sorted. */
function granted(system: string): readonly string[] {
  const home = existsSync(join(root, `knative/overlays/${system}`))
    ? [`knative/access/${system}`, `knative/${system}`]
    : [standard];
  const objects = home.flatMap((folder) => readKustomization(folder).objects);
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
