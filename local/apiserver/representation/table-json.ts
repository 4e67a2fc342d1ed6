import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { asServed } from "../kinds/stored-version.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { type IncludeObject, toTable } from "../table/make-table.ts";

/** An object or a list as the JSON of a table, for a client that wants to show it to people. */
export function tableJson(state: State, call: Call, objectOrList: Fields): string {
  return JSON.stringify(toTable(call.resource, objectOrList, state.clock.now(), includeObject(call)));
}

/** Writes single objects as tables of one row; only the first has columns. */
export function tableWriter(state: State, call: Call): (object: KubernetesObject) => string {
  let first = true;
  return (object) => {
    const table = toTable(call.resource, asServed(call.resource, object), state.clock.now(), includeObject(call));
    if (!first) table.columnDefinitions = null;
    first = false;
    return JSON.stringify(table);
  };
}

const choices: readonly IncludeObject[] = ["None", "Metadata", "Object"];
const includeObject = ({ query }: Call): IncludeObject =>
  choices.find((choice) => choice === query.get("includeObject")) ?? "Metadata";
