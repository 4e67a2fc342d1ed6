import type { Permission } from "../declaration.ts";

/** What a rule declares, as it is set: with the finalizers that its settings name. */
export const permissionsAsSet = (
  permissions: readonly Permission[],
  settings: Readonly<Record<string, unknown>>,
): readonly Permission[] =>
  permissions.map((permission) => {
    const { writes, finalizerSetting } = permission;
    if (finalizerSetting === undefined) return permission;
    const finalizers = [...(writes?.finalizers ?? []), String(settings[finalizerSetting])];
    return { ...permission, writes: { ...writes, finalizers } };
  });
