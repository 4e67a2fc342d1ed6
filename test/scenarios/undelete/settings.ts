import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

const common = {
  inTree: true,
  environment: {},
  // Every object is resynced in every tick.
  edit: (object) => withTurns(object, "1s"),
  components: [],
} satisfies Partial<Setting>;

const otherNamespace = (value: string) => ({ "undelete-reserve": { OTHER_NAMESPACE: value } });

/** As installed by default: no annotation of a new namespace gives it the volumes of a former one. */
export const shipped: Setting = { ...common, name: "as installed by default" };

/** A new namespace gets the volumes of the former one of its name by an annotation with the former one's uid. */
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
