import type { SystemResponse } from "../../../shared/system/transport.ts";

/** An error as salt-api gives it out: an HTML page, also to who accepts only JSON. */
export function page(status: number, sentence: string): SystemResponse {
  const title = `${status} ${{ 400: "Bad Request", 401: "Unauthorized", 404: "Not Found" }[status]}`;
  const body = `<!DOCTYPE html>
<html>
<head><title>${title}</title></head>
<body>
<h2>${title}</h2>
<p>${sentence}</p>
</body>
</html>
`;
  return { status, headers: { "content-type": "text/html;charset=utf-8" }, body };
}
