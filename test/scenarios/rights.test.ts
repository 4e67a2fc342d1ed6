import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../manifests/kustomization.ts";

const there = (file: string) => existsSync(join(root, file));
const systems = new Set(globSync("functions/*/*/index.ts", { cwd: root }).map((file) => file.split("/")[1] as string));

// The tests of a system hold its functions to their roles: no scenario may be denied anything, and no grant be left
// over.
for (const system of systems) {
  const title = `${system} runs on the laptop edition and on a real control plane`;
  if (there(`test/scenarios/${system}/scenarios.ts`))
    test(title, () => {
      const tests = [`test/scenarios/${system}.test.ts`, `test/cluster/${system}.test.ts`];
      expect(tests.filter((file) => !there(file))).toEqual([]);
    });
  else test.todo(title);
}
