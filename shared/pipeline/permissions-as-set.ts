import type { FunctionDeclaration, Permission } from "../declaration.ts";
import { readSettings } from "../settings.ts";

/**
 * What a rule declares, as it is set: where it declares to write a finalizer that is the default of a setting, it
 * writes the one that is set. The policy that holds its account to it is the admin's to edit then.
 */
export function permissionsAsSet(
  { settings: schema, permissions }: Pick<FunctionDeclaration, "settings" | "permissions">,
  settings: Readonly<Record<string, unknown>>,
): readonly Permission[] {
  const chosen = new Map(
    Object.entries(readSettings(schema, {})).flatMap(([name, value]) =>
      settings[name] === value ? [] : [[value, settings[name]] as const],
    ),
  );
  if (chosen.size === 0) return permissions;
  return permissions.map((permission) => {
    const { writes } = permission;
    const finalizers = writes?.finalizers?.flatMap((one) => [one, String(chosen.get(one) ?? one)]);
    return finalizers ? { ...permission, writes: { ...writes, finalizers } } : permission;
  });
}
