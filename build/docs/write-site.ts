import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Eleventy, { type EleventyConfig, type Markdown } from "@11ty/eleventy";
import { headingId } from "./heading-id.ts";
import { layout, pathBetween } from "./layout.ts";
import { navigationOf } from "./navigation.ts";
import { documentOf, isPicture, type Page, readPages, targetOf, urlOfPicture } from "./pages.ts";
import { searchIndex } from "./search-index.ts";

const assets = fileURLToPath(new URL("assets/", import.meta.url));
const minisearch = fileURLToPath(new URL("../umd/index.js", import.meta.resolve("minisearch")));

/**
 * Writes the documentation as pages that a browser reads from files, without a network and without a server.
 *
 * @returns the pages, in no order that means anything.
 * @throws Error where a link in a document leads nowhere.
 */
export async function writeSite(root: string, folder: string): Promise<readonly Page[]> {
  const pages = readPages(root);
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const menu = navigationOf(pages.filter(({ isDocument }) => isDocument).map(({ source }) => source));
  // Eleventy copies assets from its input folder only, and reads every template there: one of its own.
  const input = mkdtempSync(join(tmpdir(), "holdfast-docs-"));
  const index = join(input, "search-index.js");
  writeFileSync(index, searchIndex(pages));
  const byOutput = new Map<string, Page>();
  const config = (eleventy: EleventyConfig) => {
    eleventy.setUseGitIgnore(false);
    eleventy.setTemplateFormats(["md"]);
    eleventy.addPassthroughCopy({
      [assets]: "assets",
      [minisearch]: "assets/minisearch.js",
      [index]: "assets/search-index.js",
      ...Object.fromEntries(
        globSync("docs/**/*.png", { cwd: root }).map((path) => {
          const picture = path.replaceAll("\\", "/");
          return [join(root, picture), urlOfPicture(picture)];
        }),
      ),
    });
    eleventy.amendLibrary("md", (markdown) => amend(markdown, root, bySource));
    for (const [number, page] of pages.entries()) {
      byOutput.set(join(folder, page.url), page);
      // Texts of code look like templates to Eleventy's engines, so that none of them reads a document.
      const data = { permalink: page.url, templateEngineOverride: "md", holdfast: page.source };
      eleventy.addTemplate(`${number}.md`, page.text, data);
    }
    eleventy.addTransform("layout", function (content) {
      const page = byOutput.get(this.page.outputPath) ?? bySource.get("README.md");
      return layout(page as Page, content, menu, bySource);
    });
    return { markdownTemplateEngine: false };
  };
  try {
    rmSync(folder, { recursive: true, force: true });
    await new Eleventy(input, folder, { quietMode: true, configPath: null, config }).write();
  } finally {
    rmSync(input, { recursive: true });
  }
  return pages;
}

/** Headings get the anchors that links use, links lead to pages, and what is wide scrolls, by keyboard too. */
function amend(markdown: Markdown, root: string, pages: ReadonlyMap<string, Page>): void {
  markdown.set({ html: false });
  markdown.core.ruler.push("holdfast", (state) => {
    const { holdfast: source } = state.env as { readonly holdfast: string };
    const here = pages.get(source) as Page;
    const seen = new Map<string, number>();
    for (const [at, token] of state.tokens.entries()) {
      if (token.type === "heading_open") {
        const id = headingId(state.tokens[at + 1]?.content ?? "");
        const times = seen.get(id) ?? 0;
        seen.set(id, times + 1);
        token.attrSet("id", times ? `${id}-${times}` : id);
      }
      for (const child of token.children ?? []) {
        const picture = child.type === "image" ? targetOf(source, String(child.attrGet("src"))) : undefined;
        if (picture !== undefined && isPicture(picture))
          child.attrSet("src", pathBetween(here.url, urlOfPicture(picture)));
        const href = child.type === "link_open" ? String(child.attrGet("href")) : undefined;
        const target = href === undefined ? undefined : targetOf(source, href);
        if (href === undefined || target === undefined) continue;
        const page = pages.get(documentOf(root, target)) as Page;
        const [, anchor] = href.split("#");
        child.attrSet("href", (page === here ? "" : pathBetween(here.url, page.url)) + (anchor ? `#${anchor}` : ""));
      }
    }
  });
  const { rules } = markdown.renderer;
  rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => "</table></div>\n";
  // Cells of tables have no other way to a new line in Markdown.
  const { text } = rules;
  rules.text = (...all) => (text?.(...all) ?? "").replaceAll("&lt;br&gt;", "<br>");
  for (const name of ["fence", "code_block"] as const) {
    const block = rules[name];
    rules[name] = (...all) =>
      (block?.(...all) ?? "").replace("<pre>", '<pre tabindex="0" role="group" aria-label="Code">');
  }
}
