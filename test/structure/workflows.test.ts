import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** What images and the command line are bundled from. */
const released = ["shared", "functions", "eventing", "cli", "console"];

/** The packages that these folders import: `@scope/name` of `@scope/name/path`. */
const imported = new Set(
  released
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: root }))
    .filter((file) => !/\.test\.tsx?$|\/testing\//.test(file))
    .flatMap((file) =>
      [...textOf(file).matchAll(/(?:from|import|import\()\s*"([^."][^"]*)"/g)].map(([, name = ""]) => name),
    )
    .filter((name) => !isBuiltin(name))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ""),
);

test("a known vulnerability in any package that is released stops a change, and a release", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, { dev?: true }> };
  const unseen = ["test", "release"].flatMap((workflow) => {
    const audits = [...textOf(`.github/workflows/${workflow}.yml`).matchAll(/run: (npm audit .*)/g)].map(
      ([, command = ""]) => command,
    );
    const isSeen = (name: string) =>
      audits.some((command) => !command.includes("--omit=dev") || !packages[`node_modules/${name}`]?.dev);
    return [...imported].filter((name) => !isSeen(name)).map((name) => `${workflow}: ${name}`);
  });
  expect([...imported]).toEqual(expect.arrayContaining(["react", "@patternfly/react-core", "undici"]));
  expect(unseen).toEqual([]);
});

test("a release signs each image and each file, with an identity that the workflow alone has", () => {
  const { jobs } = parse(textOf(".github/workflows/release.yml")) as {
    jobs: Record<string, { permissions?: Record<string, string>; steps: readonly { run?: string }[] }>;
  };
  const signing = Object.values(jobs).filter(({ steps }) => steps.some(({ run }) => run?.includes("cosign")));
  expect(signing).toHaveLength(1);
  const runs = signing.flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run)).join("\n");
  expect(runs).toMatch(/cosign" sign --yes/);
  expect(runs).toMatch(/cosign" sign-blob --yes --bundle "\$file\.sigstore\.json" "\$file"/);
  expect(signing[0]?.permissions?.["id-token"]).toBe("write");
});
