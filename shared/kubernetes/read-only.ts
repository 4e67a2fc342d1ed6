import type { Client } from "./client.ts";

/** Whether a request is checked by the API server and its admission, and persisted by neither. */
export const isDryRun = (path: string): boolean =>
  new URLSearchParams(path.split("?")[1]).getAll("dryRun").join() === "All";

/** A client that reads and sends dry runs, and throws where it is asked to write: for people who only ask. */
export function readOnly(client: Client): Client {
  const refuse = (verb: string) => async (): Promise<never> => {
    throw new Error(`This is a defect: a look must not ${verb} anything.`);
  };
  return {
    get: client.get,
    list: client.list,
    create: refuse("create"),
    patch: refuse("patch"),
    delete: refuse("delete"),
    request: async (method, path, ...rest) =>
      method === "GET" || isDryRun(path) ? client.request(method, path, ...rest) : refuse(method.toLowerCase())(),
  };
}
