import type { ApiRequest, ApiResponse } from "../../shared/kubernetes/transport.ts";
import { methodNotAllowed } from "./failure.ts";
import { once, respond } from "./representation/encode.ts";
import type { State } from "./state.ts";

const health = /^\/(healthz|livez|readyz)(\/.*)?$/;

/** Health, version, discovery and OpenAPI. `undefined` for a path where there is nothing. */
export async function nonResource(
  { resources }: State,
  { method }: ApiRequest,
  path: string,
): Promise<ApiResponse | undefined> {
  if (health.test(path)) return respond(200, "text/plain; charset=utf-8", once("ok"));
  // Few clients ask, so that what answers is loaded when one does.
  const { discover } = await import("./discovery/discovery.ts");
  const found = discover(resources.all(), path);
  const document = found ?? (await openApiDocument(resources.all(), path));
  if (!document) return undefined;
  if (method !== "GET") throw methodNotAllowed();
  return respond(200, "application/json", once(JSON.stringify(document)));
}

async function openApiDocument(resources: ReturnType<State["resources"]["all"]>, path: string) {
  if (!path.startsWith("/openapi/")) return undefined;
  const { openApi } = await import("./discovery/openapi.ts");
  return openApi(resources, path);
}
