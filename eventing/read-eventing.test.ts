import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Unobeyable } from "./manifest/unobeyable.ts";
import { readEventing } from "./read-eventing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-eventing-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const broker = (name: string) => `
apiVersion: eventing.knative.dev/v1
kind: Broker
metadata: {name: ${name}, namespace: holdfast}
`;
const names = () => readEventing(folder).map(({ metadata }) => metadata.name);

test("the files of a mounted ConfigMap are read once, although the kubelet has them there twice", () => {
  mkdirSync(join(folder, "..2026_01_01"));
  for (const name of ["b", "a"]) writeFileSync(join(folder, "..2026_01_01", `${name}.yaml`), broker(name));
  symlinkSync("..2026_01_01", join(folder, "..data"));
  for (const name of ["a", "b"]) symlinkSync(`..data/${name}.yaml`, join(folder, `${name}.yaml`));
  expect(names()).toEqual(["a", "b"]);
});

test.each<[string, string, string]>([
  ["a field that is not obeyed", `${broker("a")}spec: {replicas: 2}`, "spec.replicas is not obeyed"],
  [
    "an object for the cluster",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}",
    "ConfigMap a is not for this folder",
  ],
  ["no YAML", "a: [", "e.yaml"],
])("%s ends the program with a sentence that names the file", (_, text, words) => {
  writeFileSync(join(folder, "e.yaml"), text);
  expect(names).toThrow(Unobeyable);
  expect(names).toThrow(words);
});

test("a folder that is empty, or is not there, is a mistake", () => {
  expect(names).toThrow("there is no YAML file");
  expect(() => readEventing(join(folder, "x"))).toThrow("cannot be read");
});
