/** What an account may do, as `external_auth` of the master lists it: patterns of functions, and runner modules. */
export type Rights = readonly (string | Readonly<Record<string, readonly string[]>>)[];

/** What the product's account needs, and no more. */
export const storageRights: Rights = ["@jobs", { "*": ["metalk8s_volumes\\.(prepare|unprepare|device_name)"] }];

/** Whether an account may call a function on minions. `saltutil.find_job` is open to everybody who has logged in. */
export function mayCall(rights: Rights, fun: string): boolean {
  if (fun === "saltutil.find_job") return true;
  const everywhere = rights.flatMap((right) =>
    typeof right === "string" ? (right.startsWith("@") ? [] : [right]) : Object.values(right).flat(),
  );
  return everywhere.some((right) => new RegExp(`^(?:${right})$`).test(fun));
}

/** Whether an account may use a runner module. */
export function mayRun(rights: Rights, module: string): boolean {
  return rights.includes(`@${module}`);
}
