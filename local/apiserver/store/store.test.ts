import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { createStore } from "./store.ts";

const object = (name: string, step = 1): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, uid: name, resourceVersion: "" },
  data: { step },
});
const names = (stored: readonly { key: string; object: KubernetesObject }[] | undefined) =>
  stored?.map(({ key, object: { data } }) => `${key}=${(data as { step: number }).step}`);

describe("versions", () => {
  test("one counter serves all collections", () => {
    const store = createStore(10);
    const first = store.put("/a", "x", object("x"));
    const second = store.put("/b", "y", object("y"));
    expect([second.version - first.version, store.version]).toEqual([1, second.version]);
    expect(second.object.metadata.resourceVersion).toBe(String(second.version));
  });

  test("what is stored cannot be changed from outside", () => {
    const { object: stored } = createStore(10).put("/a", "x", object("x"));
    expect(() => {
      stored.metadata.name = "other";
    }).toThrow(TypeError);
    expect(() => {
      (stored.data as { step: number }).step = 2;
    }).toThrow(TypeError);
  });

  test("removing what is not there is a mistake of the caller", () => {
    expect(() => createStore(10).remove("/a", "x", object("x"))).toThrow("There is no x in /a to remove.");
  });
});

describe("lists", () => {
  test("are in the order of keys, as etcd has them, and end with their prefix", () => {
    const store = createStore(10);
    for (const key of ["b/z", "a/y", "a-b/x", "a/x"]) store.put("/a", key, object(key));
    expect(names(store.list("/a", ""))).toEqual(["a-b/x=1", "a/x=1", "a/y=1", "b/z=1"]);
    expect(names(store.list("/a", "a/"))).toEqual(["a/x=1", "a/y=1"]);
  });

  test("show an older version as it was: before changes, removals and additions", () => {
    const store = createStore(10);
    store.put("/a", "kept", object("kept"));
    store.put("/a", "removed", object("removed"));
    const { version } = store.put("/a", "changed", object("changed"));
    store.put("/a", "changed", object("changed", 2));
    store.put("/a", "changed", object("changed", 3));
    store.remove("/a", "removed", object("removed"));
    store.put("/a", "added", object("added"));
    expect(names(store.list("/a", "", version))).toEqual(["changed=1", "kept=1", "removed=1"]);
    expect(names(store.list("/a", "", version + 1))).toEqual(["changed=2", "kept=1", "removed=1"]);
    expect(names(store.list("/a", ""))).toEqual(["added=1", "changed=3", "kept=1"]);
  });
});

describe("what is forgotten", () => {
  test("a compaction forgets the past of every collection, also of those that come later", () => {
    const store = createStore(10);
    const { version } = store.put("/a", "x", object("x"));
    store.put("/a", "x", object("x", 2));
    store.compact();
    expect(store.list("/a", "", version)).toBeUndefined();
    expect(store.watch("/a", version, () => {})).toBeUndefined();
    expect(store.watch("/later", version, () => {})).toBeUndefined();
    expect(names(store.list("/a", "", store.version))).toEqual(["x=2"]);
    expect(store.watch("/a", store.version, () => {})).toBeTypeOf("function");
  });

  test("a collection remembers so many of its own events and no more", () => {
    const store = createStore(2);
    const versions = [1, 2, 3, 4].map((step) => store.put("/a", "x", object("x", step)).version);
    for (let step = 0; step < 5; step++) store.put("/other", "y", object("y", step));
    expect(store.list("/a", "", versions[0])).toBeUndefined();
    expect(names(store.list("/a", "", versions[1]))).toEqual(["x=2"]);
    expect(store.horizon("/a")).toBe(versions[1]);
  });
});

describe("watches", () => {
  test("begin with what is already known after their version and go on until stopped", () => {
    const store = createStore(10);
    const { version } = store.put("/a", "x", object("x"));
    store.put("/a", "y", object("y"));
    const seen: string[] = [];
    const stop = store.watch("/a", version, ({ type, current }) => seen.push(`${type} ${current.key}`));
    store.put("/a", "x", object("x", 2));
    store.remove("/a", "y", object("y"));
    stop?.();
    store.put("/a", "z", object("z"));
    expect(seen).toEqual(["ADDED y", "MODIFIED x", "DELETED y"]);
  });

  test("from a version yet to come wait for it", () => {
    const store = createStore(10);
    const seen: number[] = [];
    store.watch("/a", store.version + 2, ({ current }) => seen.push(current.version));
    for (let step = 0; step < 4; step++) store.put("/a", "x", object("x", step));
    expect(seen).toEqual([store.version - 1, store.version]);
  });

  test("hear of a write that another watch caused after the write that caused it", () => {
    const store = createStore(10);
    const seen: string[] = [];
    store.watch("/a", store.version, ({ current }) => {
      if (current.key === "cause") store.put("/a", "effect", object("effect"));
    });
    store.watch("/a", store.version, ({ current }) => seen.push(current.key));
    store.put("/a", "cause", object("cause"));
    expect(seen).toEqual(["cause", "effect"]);
  });
});
