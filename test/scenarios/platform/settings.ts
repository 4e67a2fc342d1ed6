import type { Setting } from "../../harness/cluster.ts";
import { beside } from "../pvc-protection/settings.ts";

/** An administrator has let the sweep delete stale channels, as the option mend-channels does. */
export const mending: Setting = {
  ...beside,
  name: "where the sweep may mend channels",
  components: [...beside.components, "platform/mend-channels/access.yaml"],
  environment: { "platform-sweep": { STALE_CHANNELS: "mend" } },
};

/**
 * The functions that serve the rules have few settings of their own that matter; the scenarios need rules that work.
 */
export const settings: readonly Setting[] = [beside, mending];
