/** The annotations of a PersistentVolume that an evacuation of a Node puts there, each for that Node alone. */
export interface Marks {
  /** It was attached there, and is to be attached elsewhere before its data is moved. */
  readonly waits: string;
  /** Since when, RFC 3339. */
  readonly since: string;
  /** The LINSTOR Affinity Controller makes it accessible from any Node. */
  readonly override: string;
}

/** The keys of the annotations for a Node. */
export function marksFor(node: string): Marks {
  return {
    waits: `wait-for-reattach.evacuation.piraeus.io/${node}`,
    since: `wait-for-reattach-since.evacuation.piraeus.io/${node}`,
    override: `override.piraeus.io/${node}`,
  };
}

/** The keys that are there, of those that an evacuation of this Node and of no other puts there. */
export function marksOn(annotations: Readonly<Record<string, string>> | undefined, node: string): readonly string[] {
  return Object.values(marksFor(node)).filter((key) => annotations?.[key] !== undefined);
}

/**
 * Why satellites of a Node cannot be evacuated, if they cannot: its name becomes the name part of an annotation's key,
 * which the API server refuses beyond 63 characters. Said when the satellite is created, not when it is too late.
 */
export function nodeNameProblem(node: string): string | undefined {
  if (node.length > 63) {
    const why = `The Node's name has ${node.length} characters, and the annotations of an evacuation have room for 63`;
    return `${why}: a satellite on it can be retained or deleted, not evacuated. Use a shorter name for the Node.`;
  }
  const isName = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(node);
  return isName
    ? undefined
    : "The Node's name cannot stand in an annotation's key: a satellite on it cannot be evacuated.";
}
