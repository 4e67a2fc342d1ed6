import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** A page of the site. */
export interface Page {
  /** The document or file that it is made of, relative to the repository, with `/`. */
  readonly source: string;
  /** Where it lies in the site. */
  readonly url: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** A document that people read, and not a file that one of them links to. */
  readonly isDocument: boolean;
}

/** What the site begins with; further documents and files come by the links in these. */
const first = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/** A link of Markdown: what it leads to. Code has none that the test of links would not find as well. */
const linkTarget = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g;

const isElsewhere = (target: string) => /^[a-z]+:/.test(target);

/** The file or folder of the repository that a link in `source` leads to; `undefined` for a link to another site. */
export function targetOf(source: string, link: string): string | undefined {
  const [path = ""] = link.split("#");
  if (isElsewhere(link)) return undefined;
  return path ? posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, "") : source;
}

/**
 * All pages: the documents of the repository that are about using it, and all pages that they link to, each once.
 *
 * @throws Error where a link leads nowhere.
 */
export function readPages(root: string): readonly Page[] {
  const documents = globSync(["docs/**/*.md", "functions/**/*.md"], { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const pages = new Map<string, Page>();
  const waiting = [...first, ...documents.sort()];
  for (const source of waiting) {
    if (pages.has(source)) continue;
    const page = readPage(root, source);
    pages.set(source, page);
    if (!page.isDocument) continue;
    for (const [, link = ""] of page.text.matchAll(linkTarget)) {
      const target = targetOf(source, link);
      if (target !== undefined && !isPicture(target)) waiting.push(documentOf(root, target));
    }
  }
  return [...pages.values()];
}

/** Pictures are copied, and are no pages. */
export const isPicture = (target: string): boolean => target.endsWith(".png");

/** Where a picture of a document lies in the site. */
export const urlOfPicture = (target: string): string => target.replace(/^docs\//, "");

/** A folder with a README is that README. */
export function documentOf(root: string, target: string): string {
  const readme = posix.join(target, "README.md");
  return !target.endsWith(".md") && existsSync(join(root, readme)) ? readme : target;
}

function readPage(root: string, source: string): Page {
  const file = join(root, source);
  if (!existsSync(file)) throw new Error(`A document links to ${source}, which does not exist.`);
  const url = urlOf(source);
  if (source.endsWith(".md")) {
    const text = readFileSync(file, "utf8").replaceAll(/<!--[\s\S]*?-->\n?/g, "");
    const [, title = source] = /^# (.+)$/m.exec(text) ?? [];
    return { source, url, title: title.replaceAll("`", ""), text, isDocument: true };
  }
  const text = statSync(file).isDirectory() ? readdirSync(file).sort().join("\n") : readFileSync(file, "utf8");
  return { source, url, title: source, text: `# ${source}\n\n~~~~~~\n${text}\n~~~~~~\n`, isDocument: false };
}

/** `docs/` is the root of the site; a README is the page of its folder; a file that is no document is a page of it. */
function urlOf(source: string): string {
  if (source === "README.md") return "index.html";
  if (!source.endsWith(".md")) return `source/${source}.html`;
  return `${source.replace(/^docs\//, "").replace(/(\/README)?\.md$/, "")}.html`;
}
