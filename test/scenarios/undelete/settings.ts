import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../worlds/world.ts";

const common = {
  inTree: true,
  environment: {},
  // Every object is resynced in every tick.
  edit: (object) => withTurns(object, "1s"),
  components: [],
} satisfies Partial<Setting>;

const otherNamespace = (value: string) => ({ "undelete-reserve": { OTHER_NAMESPACE: value } });

/** As installed by default: what is of another namespace stays of it, whatever is written on the new one. */
export const shipped: Setting = { ...common, name: "as installed by default" };

/** Whoever knows the uid of the former namespace of a name may give its volumes to the new one. */
export const asking: Setting = { ...common, name: "with OTHER_NAMESPACE=ask", environment: otherNamespace("ask") };

/** With less room for kept volumes than two of them need, and not for long. */
export const narrow: Setting = {
  ...common,
  name: "with MOST_KEPT=1Gi",
  environment: { "undelete-retain": { MOST_KEPT: "1Gi", LONGEST_KEEP: "7d" } },
};

/** As installed by default, but that claims say nothing themselves. */
export const claimsIgnored: Setting = {
  ...common,
  name: "with CLAIM_ANNOTATION=ignored",
  environment: { "undelete-retain": { CLAIM_ANNOTATION: "ignored" } },
};

/** A namespace of the same name is as good as the former one, as where namespaces are an administrator's alone. */
export const always: Setting = {
  ...common,
  name: "with OTHER_NAMESPACE=always",
  environment: otherNamespace("always"),
};
