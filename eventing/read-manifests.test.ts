import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Unobeyable } from "./manifest/unobeyable.ts";
import { readManifests } from "./read-manifests.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "manifests-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

const broker = (name: string) => `apiVersion: eventing.knative.dev/v1\nkind: Broker\nmetadata:\n  name: ${name}\n`;
const named = (files: Record<string, string>) =>
  readManifests([write(files)]).map(({ file, object }) => `${file.slice(folder.length + 1)} ${object.metadata.name}`);

describe("reading manifests", () => {
  test("takes folders whole, files of several documents, lists, and leaves empty documents out", () =>
    expect(
      named({
        "b.yaml": `---\n# nothing\n---\n${broker("b")}---\n${broker("c")}`,
        "a/list.yml": `apiVersion: v1\nkind: List\nitems:\n- ${broker("a").replaceAll("\n", "\n  ").trim()}\n`,
        "a/README.md": "text",
        "empty.yaml": "",
      }),
    ).toEqual(["a/list.yml a", "b.yaml b", "b.yaml c"]));

  test("does as a kustomization says", () =>
    expect(
      named({
        "kustomization.yaml":
          "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [one, two.yaml]\n",
        "one/kustomization.yaml": "resources:\n- ../shared/three.yaml\n",
        "one/other.yaml": broker("unlisted"),
        "shared/three.yaml": broker("three"),
        "two.yaml": broker("two"),
        "overlay.yaml": broker("overlay"),
      }),
    ).toEqual(["shared/three.yaml three", "two.yaml two"]));

  test("appends to lists of what others list, and passes over a patch whose target is not there", () => {
    const patch = (name: string) =>
      `- target: {kind: Set, name: ${name}}\n  patch: '[{op: add, path: /spec/resources/-, value: {kind: Volume}}]'\n`;
    const files = {
      "kustomization.yaml": "resources: [two.yaml]\ncomponents: [one]\n",
      "one/kustomization.yaml": `patches:\n${patch("a")}${patch("gone")}`,
      "two.yaml": "apiVersion: example.com/v1\nkind: Set\nmetadata: {name: a}\nspec: {resources: [{kind: Pod}]}\n",
    };
    expect(readManifests([write(files)]).map(({ object }) => object.spec)).toEqual([
      { resources: [{ kind: "Pod" }, { kind: "Volume" }] },
    ]);
  });

  test("passes objects of others through", () =>
    expect(
      named({ "x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {anything: goes}\n" }),
    ).toEqual(["x.yaml x"]));

  const replacing = "patches:\n- target: {kind: Broker, name: b}\n  patch: '[{op: replace, path: /spec, value: {}}]'\n";
  const obeyed = "kustomization.yaml: patches of a kustomization is obeyed only where it adds to the end of lists";
  const older = "apiVersion: sources.knative.dev/v1beta2\nkind: PingSource\nmetadata: {name: p}\n";
  const channel = "apiVersion: messaging.knative.dev/v1\nkind: Channel\nmetadata: {name: c}\n";
  test.each<[string, string, string, string?]>([
    ["a misspelt field", `${broker("b")}spec:\n  delivry: {}\n`, "t.yaml: Broker b: spec.delivry is not obeyed."],
    ["broken YAML", "a: [", "t.yaml: "],
    ["a key given twice", `${broker("b")}kind: Broker\n`, "unique"],
    ["a document that is no object", "- a\n", "t.yaml: a document is no object."],
    ["an object without a name", "apiVersion: v1\nkind: Pod\nmetadata: {}\n", "t.yaml: an object needs"],
    ["an older version", older, "PingSource p (sources.knative.dev/v1beta2) is not obeyed"],
    ["another kind of Knative Eventing", channel, "Channel c (messaging.knative.dev/v1) is not obeyed"],
    ["a kustomization that replaces something by a patch", replacing, obeyed, "kustomization.yaml"],
  ])("refuses %s", (_, text, message, file = "t.yaml") => {
    write({ [file]: text });
    expect(() => readManifests([folder])).toThrow(Unobeyable);
    expect(() => readManifests([folder])).toThrow(message);
  });
});
