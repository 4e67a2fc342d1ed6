import { expect, test } from "vitest";
import { keepKey } from "../../functions/undelete/lib/scope.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Objects } from "../api/use-list.ts";
import { hasUndelete, keptForOf } from "./kept-for.ts";

type Keeps = string | undefined;
const object = (name: string, keeps: Keeps, more = {}, spec = {}) =>
  ({
    metadata: { name, namespace: "shop", ...(keeps ? { annotations: { [keepKey]: keeps } } : {}), ...more },
    spec,
  }) as unknown as KubernetesObject;
const read = (...objects: readonly KubernetesObject[]): Objects<KubernetesObject> => ({ is: "ready", objects });
const refused: Objects<KubernetesObject> = { is: "refused", message: "You may not list them." };
const loading: Objects<KubernetesObject> = { is: "loading" };
const home = (keeps?: string) => read(object("shop", keeps));
const kind = (keeps?: string) => read(object("fast", keeps));

test.each<[string, Keeps, Objects<KubernetesObject>, Objects<KubernetesObject>, string | undefined | null]>([
  ["all is read, and nothing asks", undefined, home(), kind(), undefined],
  ["the class asks", undefined, home(), kind("9d"), "9d"],
  ["the namespace asks, before the class", undefined, home("8d"), kind("9d"), "8d"],
  ["the claim asks, and nothing else counts", "7d", refused, refused, "7d"],
  ["the claim asks for nothing, and nothing else counts", "none", refused, refused, undefined],
  ["namespaces are refused", undefined, refused, kind("9d"), null],
  ["namespaces are being read", undefined, loading, kind("9d"), null],
  ["classes are refused, and the namespace asks", undefined, home("8d"), refused, "8d"],
  ["classes are refused, and the namespace does not ask", undefined, home(), refused, null],
  ["classes are being read", undefined, home(), loading, null],
])("for how long a volume is kept, when %s", (_, own, namespaces, classes, kept) => {
  const claim = object("data-web-0", own, {}, { storageClassName: "fast" });
  expect(keptForOf({ namespaces, classes })(claim)).toBe(kept);
});

test("a claim without a class, or of one pod alone, does not depend on what is unread", () => {
  expect(keptForOf({ namespaces: home(), classes: refused })(object("a", undefined))).toBeUndefined();
  const ownerReferences = [{ kind: "Pod", name: "web-0", controller: true }];
  const ephemeral = object("web-0-cache", undefined, { ownerReferences }, { storageClassName: "fast" });
  expect(keptForOf({ namespaces: refused, classes: refused })(ephemeral)).toBeUndefined();
});

const absent: Objects<KubernetesObject> = { is: "absent" };
const [retain, other] = [object("undelete-retain", undefined), object("undelete-expire", undefined)];
test.each([
  ["it is a Service", [read(retain, other), refused], true],
  ["it is a Deployment, and there is no Knative", [absent, read(retain)], true],
  ["other functions are there", [read(other), read()], false],
  ["there is no Knative and no Deployment", [absent, read()], false],
  ["one of both is refused", [read(other), refused], undefined],
  ["one of both is being read", [loading, read()], undefined],
])("whether undelete is installed, when %s", (_, functions, is) => expect(hasUndelete(functions)).toBe(is));
