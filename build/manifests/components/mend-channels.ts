import { slug } from "../../../shared/rule.ts";
import type { Declared } from "../declared.ts";
import { kustomizationFile } from "../kustomization.ts";
import { settingsOf } from "../settings.ts";
import { sweepFunction } from "../sweep.ts";

const folder = "knative/platform/mend-channels";
const variable = "STALE_CHANNELS";

/**
 * The option by which an administrator lets the sweep delete a channel that is stale: the right, and the setting that
 * uses it.
 */
export function addMendChannels(files: Map<string, string>, functions: readonly Declared[]): void {
  const sweep = functions.find(({ name }) => name === sweepFunction);
  const index = sweep ? settingsOf(sweep).findIndex((setting) => setting.variable === variable) : -1;
  if (!sweep || index < 0) return;
  const path = `/spec/template/spec/containers/0/env/${index}`;
  files.set(
    `${folder}/kustomization.yaml`,
    kustomizationFile(
      "Component",
      {
        resources: ["access.yaml"],
        patches: [
          {
            target: { group: "serving.knative.dev", kind: "Service", name: slug(sweep.name) },
            patch: [
              { op: "test", path: `${path}/name`, value: variable },
              { op: "replace", path: `${path}/value`, value: "mend" },
            ],
          },
        ],
      },
      "Lets the sweep delete a broker's channel that delivers to subscribers that are gone, " +
        "instead of saying so. Until Knative has rebuilt it, seconds to minutes later, no " +
        "change reaches a function; the next tick sends an event for every object. See what that " +
        "means for a policy that you have just changed to Retain: docs/stale-subscribers.md.",
    ),
  );
}
