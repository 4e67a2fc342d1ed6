import { describe, expect, test } from "vitest";
import { resource } from "../testing/resource.ts";
import { discover } from "./discovery.ts";

// The documents are those of kube-apiserver 1.36.3 for the same resources, less its storage hashes and addresses.
const resources = [
  resource("v1", "Namespace", { namespaced: false, shortNames: ["ns"], subresources: ["finalize", "status"] }),
  resource("v1", "ServiceAccount", { shortNames: ["sa"], subresources: ["token"] }),
  resource("apps/v1", "StatefulSet", { shortNames: ["sts"], categories: ["all"], subresources: ["scale", "status"] }),
  resource("example.org/v1beta1", "Thing"),
  resource("example.org/v1", "Thing"),
  resource("authorization.k8s.io/v1", "SelfSubjectAccessReview", { namespaced: false }),
];
const all = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const part = ["get", "patch", "update"];
const get = (path: string) => discover(resources, path);

describe("one document each", () => {
  test("/api", () => expect(get("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] }));

  test("/apis lists the preferred version first", () => {
    const groups = (get("/apis") as { groups: { name: string; preferredVersion: object; versions: object[] }[] })
      .groups;
    expect(groups.map(({ name }) => name)).toEqual(["apps", "example.org", "authorization.k8s.io"]);
    expect(groups[1]).toEqual({
      name: "example.org",
      versions: [
        { groupVersion: "example.org/v1", version: "v1" },
        { groupVersion: "example.org/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "example.org/v1", version: "v1" },
    });
  });

  test("/apis/<group>", () =>
    expect(get("/apis/apps")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    }));

  test("a group's resources", () =>
    expect(get("/apis/apps/v1")).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "apps/v1",
      resources: [
        {
          name: "statefulsets",
          singularName: "statefulset",
          namespaced: true,
          kind: "StatefulSet",
          verbs: all,
          shortNames: ["sts"],
          categories: ["all"],
        },
        {
          name: "statefulsets/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: part,
        },
        { name: "statefulsets/status", singularName: "", namespaced: true, kind: "StatefulSet", verbs: part },
      ],
    }));

  test("verbs of what is special", () => {
    const core = get("/api/v1") as { resources: { name: string; verbs: string[]; kind: string }[] };
    expect(core.resources.map(({ name, kind, verbs }) => [name, kind, verbs.join()])).toEqual([
      ["namespaces", "Namespace", "create,delete,get,list,patch,update,watch"],
      ["namespaces/finalize", "Namespace", "update"],
      ["namespaces/status", "Namespace", "get,patch,update"],
      ["serviceaccounts", "ServiceAccount", all.join()],
      ["serviceaccounts/token", "TokenRequest", "create"],
    ]);
    expect(get("/apis/authorization.k8s.io/v1")).toMatchObject({ resources: [{ verbs: ["create"] }] });
  });
});

test("/version names the release it follows and says what it is", () =>
  expect(get("/version")).toMatchObject({ major: "1", minor: "36", gitVersion: "v1.36.3+holdfast" }));

test("everything else is none of its business", () => {
  for (const path of [
    "/",
    "/healthz",
    "/api/v2",
    "/apis/nope",
    "/apis/apps/v2",
    "/apis/apps/v1/statefulsets",
    "/api/v1/pods",
  ]) {
    expect(get(path)).toBeUndefined();
  }
});
