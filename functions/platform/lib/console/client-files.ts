import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { Refusal } from "./refusal.ts";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".woff2": "font/woff2",
};

/** What a file goes out packed with, by the suffix of the packed one: the best first. */
const encodings = { br: "br", gz: "gzip" } as const;

/**
 * Answers with the files of the client: those of `assets`, whose names change with their content, and `index.html` for
 * every other address. Only files that were there at the start are read, by their whole names. A file `NAME.br`
 * or `NAME.gz` beside another one goes out in its place to a client that takes it.
 */
export function clientFiles(folder: string): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const assets = join(folder, "assets");
  const names = new Set(existsSync(assets) ? readdirSync(assets) : []);
  const hasIndex = existsSync(join(folder, "index.html"));

  return async ({ method, url = "", headers }, response) => {
    if (method !== "GET" && method !== "HEAD") throw new Refusal(405, "Pages are asked for by GET.");
    const [path = ""] = url.split("?");
    const name = path.startsWith("/assets/") ? path.slice("/assets/".length) : undefined;
    const type = types[extname(name ?? "index.html")];
    if (name !== undefined && (!names.has(name) || !type)) throw new Refusal(404, "There is no such file.");
    if (!name && !hasIndex) throw new Refusal(404, "This program was built without the pages of the console.");
    const taken = `${headers["accept-encoding"]}`.split(/[\s,;]+/);
    const [suffix, encoding] =
      Object.entries(encodings).find(([end, one]) => names.has(`${name}.${end}`) && taken.includes(one)) ?? [];
    const file = name === undefined ? join(folder, "index.html") : join(assets, suffix ? `${name}.${suffix}` : name);
    const content = await readFile(file);
    response.writeHead(200, {
      "content-type": type,
      "content-length": content.length,
      "cache-control": name === undefined ? "no-cache" : "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(encoding ? { "content-encoding": encoding } : {}),
    });
    response.end(method === "HEAD" ? undefined : content);
  };
}
