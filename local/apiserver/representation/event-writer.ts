import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";
import { formOf } from "./accept.ts";
import { metadataJson, objectJson } from "./represent.ts";
import { tableWriter } from "./table-json.ts";

/** Writes the lines of one watch in the form that its client asked for. */
export type EventWriter = ReturnType<typeof eventWriter>;

/** A writer for a watch call. */
export function eventWriter(state: State, call: Call, write: (text: string) => void) {
  const { resource } = call;
  const { shape } = formOf(call.request.headers.accept);
  const line = (type: string, json: string) => write(`{"type":"${type}","object":${json}}\n`);
  const table = shape === "table" ? tableWriter(state, call) : undefined;
  return {
    object(type: "ADDED" | "MODIFIED" | "DELETED", stored: Stored) {
      if (table) line(type, table(stored.object));
      else line(type, shape === "metadata" ? metadataJson(stored.object) : objectJson(resource, stored));
    },
    /** Nothing that concerns the watch has happened up to `version`. */
    bookmark(version: number) {
      const metadata = { resourceVersion: String(version) } as unknown as Stored["object"]["metadata"];
      const { kind, apiVersion } = resource;
      if (table) line("BOOKMARK", table({ kind, apiVersion, metadata }));
      else
        line(
          "BOOKMARK",
          shape === "metadata" ? metadataJson({ metadata }) : JSON.stringify({ kind, apiVersion, metadata }),
        );
    },
    /** 410: the watch asked for what is forgotten. */
    expired(message: string) {
      const status = { status: "Failure", message, reason: "Expired", code: 410 };
      line("ERROR", JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...status }));
    },
  };
}
