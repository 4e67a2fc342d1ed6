/** What an account may do, as `external_auth` of the master lists it. */
export type Rights = readonly (string | Readonly<Record<string, readonly Right[]>>)[];

/** A function's name (a pattern), or one with patterns that its named arguments must begin with. */
type Right = string | Readonly<Record<string, { readonly kwargs: Readonly<Record<string, string>> }>>;

/**
 * What the product's account needs, and no more. The pattern is anchored: Salt looks only whether a text begins with
 * it.
 */
export const storageRights: Rights = [
  "@jobs",
  {
    "*": [
      "metalk8s_volumes.device_info",
      "metalk8s_volumes.device_name",
      { "state.sls": { kwargs: { mods: "metalk8s\\.volumes(\\.[a-z_]+)?$" } } },
    ],
  },
];

/** Whether an account may call a function on minions. `saltutil.find_job` is open to everybody who has logged in. */
export function mayCall(rights: Rights, fun: string, kwarg: Readonly<Record<string, unknown>>): boolean {
  if (fun === "saltutil.find_job") return true;
  const everywhere = rights.flatMap((right) =>
    typeof right === "string" ? (right.startsWith("@") ? [] : [right]) : Object.values(right).flat(),
  );
  return everywhere.some((right) => {
    if (typeof right === "string") return new RegExp(`^(?:${right})$`).test(fun);
    return Object.entries(right).some(([name, { kwargs }]) => name === fun && all(kwargs, kwarg));
  });
}

/** Whether an account may use a runner module. */
export function mayRun(rights: Rights, module: string): boolean {
  return rights.includes(`@${module}`);
}

function all(patterns: Readonly<Record<string, string>>, kwarg: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(patterns).every(([name, pattern]) => {
    const value = kwarg[name];
    return typeof value === "string" && new RegExp(`^(?:${pattern})`).test(value);
  });
}
