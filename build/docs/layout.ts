import type { Group } from "./navigation.ts";
import type { Page } from "./pages.ts";

/** Makes text safe in HTML, attributes included. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** From one page to another, relative, so that pages work from files, too. */
export const pathBetween = (from: string, to: string): string => "../".repeat(from.split("/").length - 1) + to;

/** A whole page around what its Markdown says. The menu comes after it: without a script, on a small screen, too. */
export function layout(page: Page, content: string, menu: readonly Group[], pages: ReadonlyMap<string, Page>): string {
  const link = (to: string) => escapeHtml(pathBetween(page.url, to));
  const entry = (document: string) => {
    const to = pages.get(document) as Page;
    const current = document === page.source ? ' aria-current="page"' : "";
    return `<li><a href="${link(to.url)}"${current}>${escapeHtml(to.title)}</a></li>`;
  };
  const group = ({ title, documents }: Group) =>
    `<details${title.startsWith("Rules: ") && !documents.includes(page.source) ? "" : " open"}>` +
    `<summary>${escapeHtml(title)}</summary><ul>${documents.map(entry).join("")}</ul></details>`;
  const title = page.source === "README.md" ? "Holdfast" : `${page.title} | Holdfast`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${link("assets/style.css")}">
</head>
<body data-root="${link("")}">
<header>
<a class="skip" href="#content">Skip to the text</a>
<a class="name" href="${link("index.html")}">Holdfast</a>
<form role="search">
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" aria-controls="found">
</form>
<a class="to-menu" href="#menu">All pages</a>
<ol id="found" aria-label="What was found" aria-live="polite" hidden></ol>
</header>
<main id="content" tabindex="-1">
${content}
<footer>The source of this page in the repository: <code>${escapeHtml(page.source)}</code></footer>
</main>
<nav id="menu" aria-label="Pages">${menu.map(group).join("")}</nav>
<script src="${link("assets/minisearch.js")}"></script>
<script src="${link("assets/search-index.js")}"></script>
<script src="${link("assets/search.js")}"></script>
<script src="${link("assets/recording.js")}"></script>
</body>
</html>
`;
}
