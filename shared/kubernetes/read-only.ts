import type { Client } from "./client.ts";

/** A client that reads, and throws where it is asked to write: for people who only ask. */
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
    request: async (method, ...rest) =>
      method === "GET" ? client.request(method, ...rest) : refuse(method.toLowerCase())(),
  };
}
