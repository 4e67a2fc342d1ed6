import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundleOptions, imageNames } from "../../esbuild.config.mjs";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { noticesOf } from "./notices.mjs";

const root = join(import.meta.dirname, "../..");

describe("notices of a bundle", () => {
  /** A repository with one package in node_modules. */
  const noticesWith = async (license: string, files: Readonly<Record<string, string>>) => {
    using folder = temporaryFolder("notices");
    const home = join(folder.path, "node_modules/@a/b");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "@a/b", version: "1.2.3", license }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    return await noticesOf(["functions/x.ts", "node_modules/@a/b/lib/c.js", "node_modules/@a/b/d.js"], folder.path);
  };

  test("name each package once, with all of its licence", async () => {
    const text = await noticesWith("MIT", {
      "LICENSE.md": "Permission is granted\r\n",
      NOTICE: "By B",
      "c.js": "code",
    });
    expect(text.split("-".repeat(80)).slice(1)).toEqual(["\n\n@a/b 1.2.3 (MIT)\n\nPermission is granted\n\nBy B\n"]);
  });

  test("are refused where a licence that asks for its text has none", async () => {
    await expect(noticesWith("MIT", {})).rejects.toThrow("@a/b@1.2.3 (MIT) has no file with its licence");
    expect(await noticesWith("Unlicense", {})).toContain("@a/b 1.2.3 (Unlicense)");
  });

  test("name fonts that have a licence of their own", async () => {
    const font = "node_modules/@patternfly/react-core/dist/styles/assets/fonts/RedHatText/RedHatTextVF.woff2";
    expect(await noticesOf([font], root)).toContain("SIL Open Font License");
  });
});

test("every package of this repository that a bundle may hold has its licence", async () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>;
  };
  const folders = Object.entries(packages).flatMap(([folder, { dev, optional }]) =>
    folder && !dev && !optional ? [`${folder}/index.js`] : [],
  );
  expect(folders.length).toBeGreaterThan(50);
  expect(await noticesOf(folders, root)).toContain("re2js 2.10.0 (MIT)");
});

test.each(imageNames())("the bundle in the image %s is written with its notices", (name) => {
  expect(bundleOptions(name).plugins?.map((plugin) => plugin.name)).toContain("with notices");
});
