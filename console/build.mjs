// Bundles the web console's client: index.html, and scripts, one style sheet and fonts under assets/. Each page is a
// script of its own, loaded when it is opened first.
import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { usedStyles } from "./used-styles.mjs";

/** The name of what imports all style sheets, which is no file. */
const sheetOfSheets = "all.css";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * What the client is made of, relative to the root, and the files that a browser loads before each page shows
 * something: by the page's source, relative to the folder.
 * @typedef {{ readonly firstLoads: ReadonlyMap<string, readonly string[]>, readonly inputs: readonly string[] }} Built
 */

/**
 * Bundles the client into a folder, which is emptied before. Rejects with esbuild's errors.
 * @param {string} outdir
 * @returns {Promise<Built>}
 */
export async function buildConsole(outdir) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(join(outdir, "assets"), { recursive: true });
  const scripts = await build({ ...common(outdir), ...scriptOptions });
  const sheets = Object.keys(scripts.metafile.inputs).filter((input) => input.endsWith(".css"));
  const styles = await build({ ...common(outdir), ...styleOptions(sheets.sort()) });
  const outputs = Object.entries(scripts.metafile.outputs);
  const entry = outputs.find(([, { entryPoint }]) => entryPoint === "console/main.tsx")?.[0];
  const whole = styles.outputFiles.find(({ path }) => path.endsWith(".css"));
  if (!entry || !whole) throw new Error("The console's bundle has no entry, or no style sheet.");
  const text = usedStyles(
    whole.text,
    scripts.outputFiles.map(({ text }) => text),
  );
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const sheet = { path: join(dirname(whole.path), `console-${hash}.css`), contents: text };
  const assets = [...styles.outputFiles.filter((file) => file !== whole), sheet];
  await Promise.all([...scripts.outputFiles, ...assets].map(({ path, contents }) => writeFile(path, contents)));
  await writeFile(join(outdir, "index.html"), html(basename(entry), basename(sheet.path)));

  const inputs = [scripts, styles].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const isFile = (/** @type {string} */ input) => input !== sheetOfSheets;
  const shared = ["index.html", ...assets.map(({ path }) => relative(outdir, path))];
  const firstLoads = new Map(
    outputs.flatMap(([path, { entryPoint }]) => {
      if (!entryPoint || path === entry) return [];
      const needed = [...staticImports(scripts.metafile.outputs, [entry, path])];
      return [[entryPoint, [...shared, ...needed.map((name) => relative(outdir, join(root, name)))]]];
    }),
  );
  return { firstLoads, inputs: ["console/build.mjs", "console/used-styles.mjs", ...inputs.filter(isFile)] };
}

/** @param {string} outdir */
const common = (outdir) =>
  /** @satisfies {import("esbuild").BuildOptions} */ ({
    absWorkingDir: root,
    outdir: join(outdir, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    target: "es2022",
  });

const scriptOptions = /** @satisfies {import("esbuild").BuildOptions} */ ({
  entryPoints: ["console/main.tsx"],
  splitting: true,
  format: "esm",
  platform: "browser",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  // Components of PatternFly import their style sheets, which are no part of the scripts.
  loader: { ".css": "empty" },
});

/**
 * One style sheet for all pages: a script that is loaded later could not bring its own without an inline element.
 * @param {readonly string[]} sheets
 */
const styleOptions = (sheets) => {
  const names = ["node_modules/@patternfly/react-core/dist/styles/base.css", ...sheets, "console/console.css"];
  const contents = names.map((name) => `@import ${JSON.stringify(`./${name}`)};`).join("\n");
  const leftOut = [".woff", ".ttf", ".svg", ".png", ".jpg"].map((type) => [type, "empty"]);
  return /** @satisfies {import("esbuild").BuildOptions} */ ({
    stdin: { contents, loader: "css", resolveDir: root, sourcefile: sheetOfSheets },
    loader: { ".woff2": "file", ...Object.fromEntries(leftOut) },
    entryNames: "console",
    plugins: [leaveOutFonts],
  });
};

/**
 * Fonts of PatternFly that the pages can do without: nothing is set in italics, headings in the letters of the text,
 * commands in the browser's own monospaced ones, and icons are drawn.
 * @type {import("esbuild").Plugin}
 */
const leaveOutFonts = {
  name: "leave-out-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /(Italic|Display|Mono|pficon)[^/]*\.woff2$/ }, () => ({ contents: "", loader: "empty" }));
  },
};

/**
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {readonly string[]} entries
 */
function staticImports(outputs, entries) {
  const found = new Set(entries);
  for (const name of found)
    for (const { kind, path } of outputs[name]?.imports ?? []) if (kind === "import-statement") found.add(path);
  return found;
}

/** @param {string} script @param {string} sheet */
const html = (script, sheet) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Holdfast</title>
    <link rel="stylesheet" href="/assets/${sheet}">
    <script type="module" src="/assets/${script}"></script>
  </head>
  <body>
    <div id="root"></div>
    <noscript>The console of Holdfast needs JavaScript. Without it, use kubectl and holdfast.</noscript>
  </body>
</html>
`;
