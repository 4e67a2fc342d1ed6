import type { ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";

// Inside the JSON of a request the annotation's own JSON is a string, so that its quotes are escaped.
const ours = String.raw`{\"v\":1,\"uid\"`;
const theirs = String.raw`{\"v\":2,\"plan\":\"b\",\"uid\"`;

/**
 * Makes a function look, from the API server's side, like its next version: it writes progress of version 2 with a
 * field that is not known yet, and reads both versions. What Events say stays: both would replace the other's for ever,
 * where one is a command with progress in it.
 */
export function asNewerVersion(transport: Transport): Transport {
  return async ({ body, ...request }) => {
    const isEvent = /\/events(\/|\?|$)/.test(request.path);
    const sent = body === undefined ? request : { ...request, body: isEvent ? body : body.replaceAll(ours, theirs) };
    const response = await transport(sent);
    return { ...response, body: readBy(response.body) };
  };
}

async function* readBy(body: ApiResponse["body"]): AsyncGenerator<string> {
  // Answers of the emulator come in pieces that may end anywhere.
  let text = "";
  for await (const piece of body) text += piece;
  yield readByNewerVersion(text);
}

/** JSON of the API server as such a function reads it. */
export const readByNewerVersion = (json: string): string => json.replaceAll(theirs, ours);
