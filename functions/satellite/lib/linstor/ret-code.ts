/** How an entry of an answer is meant. A mixed answer may have successes before and after an error. */
export type Severity = "success" | "info" | "warning" | "error";

/**
 * A `ret_code` in its parts. `code` says what happened only together with the severity: 0 and 1 to 3 exist in several.
 */
export interface RetCode {
  readonly severity: Severity;
  readonly operation: string | undefined;
  readonly object: string | undefined;
  readonly code: number;
}

const severities: readonly Severity[] = ["success", "info", "warning", "error"];
const operations: readonly (string | undefined)[] = [undefined, "create", "modify", "delete"];
const objects: Readonly<Record<number, string>> = {
  15: "node",
  14: "resource definition",
  13: "resource",
  11: "volume",
  12: "volume definition",
  17: "resource group",
  5: "storage pool",
  7: "net interface",
  4: "controller",
  3: "snapshot",
};

/** Takes a `ret_code` apart: bits 63-62 severity, 25-24 operation, 22-18 object, 14-0 code. */
export function readRetCode(retCode: bigint): RetCode {
  const bits = BigInt.asUintN(64, retCode);
  const part = (shift: bigint, mask: bigint) => Number((bits >> shift) & mask);
  return {
    severity: severities[part(62n, 3n)] as Severity,
    operation: operations[part(24n, 3n)],
    object: objects[part(18n, 31n)],
    code: part(0n, 0x7fffn),
  };
}

/** The codes on which decisions depend, by what they say. */
export const codes = {
  /** Error: the node has resources in use, or last diskful ones with diskless clients. */
  nodeInUse: 233,
  /** Error: there is no node of that name. A 404 without it (a wrong path, a proxy) says nothing about a node. */
  unknownNode: 300,
  /** Error: there is a node of that name already. */
  nodeExists: 500,
  /** Error: there is a pool of that name on the node already. */
  poolExists: 510,
  /** Errors 500 to 599 say that something exists; this one that the node is connected, so that it cannot be lost. */
  nodeConnected: 506,
  /** Warning: an evicted node is not deleted by DELETE. */
  evicted: 1017,
  /** Warning: a resource or snapshot stays where it is, and nothing else will move it. */
  notEvacuating: 1020,
  /** Error: the JSON that was sent has a field or a type that LINSTOR does not take. */
  unreadableRequest: 32765,
} as const;
