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

/** As installed by default. */
export const asking: Setting = { ...common, name: "as installed by default" };

/** A namespace of the same name is as good as the former one, as where namespaces are an administrator's alone. */
export const always: Setting = {
  ...common,
  name: "with OTHER_NAMESPACE=always",
  environment: otherNamespace("always"),
};

/** What is of another namespace stays of it, whatever anybody writes on the new one. */
export const never: Setting = { ...common, name: "with OTHER_NAMESPACE=never", environment: otherNamespace("never") };
