import MiniSearch from "minisearch";
import { headingId } from "./heading-id.ts";
import type { Page } from "./pages.ts";

/** What both sides of the search agree on: assets/search.js reads the index with the same options. */
const options = {
  idField: "id",
  fields: ["heading", "title", "text"],
  storeFields: ["url", "title", "heading"],
};

/** A script that puts the index of all sections where a page finds it: pages from files can fetch nothing. */
export function searchIndex(pages: readonly Page[]): string {
  const index = new MiniSearch(options);
  let id = 0;
  for (const { url, title, text, isDocument } of pages) {
    if (!isDocument) continue;
    for (const section of text.split(/^(?=#{1,4} )/m)) {
      const [, heading = title] = /^#+ (.+)$/m.exec(section) ?? [];
      index.add({
        id: id++,
        url: `${url}#${headingId(heading)}`,
        title,
        heading: heading.replaceAll("`", ""),
        text: section,
      });
    }
  }
  return `window.holdfastSearch = ${JSON.stringify(JSON.stringify(index))};\n`;
}
