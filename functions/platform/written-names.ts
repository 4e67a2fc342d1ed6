import type { WrittenNames } from "../../shared/written-names.ts";

export const names: WrittenNames = {
  name: "platform",
  annotations: {
    "holdfast.dev/platform.sweep": {
      means: "How far the sweep has come, on its ConfigMap `holdfast-sweep`.",
      ifChanged: "If you remove it, the sweep begins from the start. This costs one round of events. Nothing is lost.",
    },
  },
};
