import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Licences by which a copy needs no notice. */
const needNone = new Set(["0BSD", "CC0-1.0", "Unlicense"]);

/** The licences of files that lie in a package under another one, by what their paths hold. */
const apart = [
  {
    path: /fonts\/RedHat.*\.woff2$/,
    text:
      "Red Hat Text, Red Hat Display and Red Hat Mono (fonts in @patternfly/react-core)\n\n" +
      "Copyright 2021 Red Hat, Inc.\n" +
      "Licensed under the SIL Open Font License, Version 1.1: https://openfontlicense.org",
  },
];

/**
 * The notices that must go with a bundle: each npm package that it was made of, with the texts of its licence. A
 * package that was read and left out again is named, too, which does no harm.
 * @param {Iterable<string>} inputs files that were bundled, relative to `root`, as esbuild's metafile has them
 * @param {string} root the repository
 * @returns {Promise<string>}
 * @throws where a package has no text of a licence that asks for one
 */
export async function noticesOf(inputs, root) {
  const paths = [...inputs].map((path) => path.replaceAll("\\", "/"));
  const folders = [...new Set(paths.flatMap((path) => packageOf(path) ?? []))].sort();
  const packages = await Promise.all(folders.map((folder) => noticeOf(join(root, folder))));
  const files = apart.filter(({ path }) => paths.some((input) => path.test(input))).map(({ text }) => text);
  return `${[head, ...new Set(packages), ...files].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const head =
  "Third-party notices\n\n" +
  "Holdfast itself is licensed under Apache-2.0. This program holds parts of the packages below.";

/** `node_modules/a/node_modules/@b/c` of a file in it. */
const packageOf = (/** @type {string} */ path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];

/** @param {string} folder */
async function noticeOf(folder) {
  const { name, version, license, homepage } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const found = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = found
    .map((file) => file.name)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  if (files.length === 0 && !needNone.has(license))
    throw new Error(
      `${name}@${version} (${license}) has no file with its licence. Add its text to build/functions/notices.mjs.`,
    );
  const texts = await Promise.all(files.map(async (file) => (await readFile(join(folder, file), "utf8")).trim()));
  const title = `${name} ${version} (${license})${homepage ? `\n${homepage}` : ""}`;
  return [title, ...texts].join("\n\n").replaceAll("\r\n", "\n");
}
