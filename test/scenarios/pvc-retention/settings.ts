import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../worlds/world.ts";

const common = {
  inTree: true,
  environment: {},
  // Every object has its turn in every tick.
  edit: (object) => withTurns(object, "1s"),
  components: ["pvc-protection/admission-policy"],
} satisfies Partial<Setting>;

const projecting = (extent: string) => ({ "pvc-retention-project": { PROJECT: extent } });

/** As installed by default: the policy is written onto the set's own field, and Kubernetes' controller does its half. */
export const whole: Setting = { ...common, name: "beside Kubernetes' own retention", guardsOwnerReferences: false };

/** Only what is to happen at a scale-down is written onto the field. */
export const scaled: Setting = {
  ...whole,
  name: "with PROJECT=scaled",
  environment: projecting("scaled"),
};

/** Nothing is: the functions are alone. */
export const off: Setting = { ...whole, name: "with PROJECT=off", environment: projecting("off") };

/** On a server from before Kubernetes 1.23, which does not know the field. */
export const before: Setting = { ...whole, name: "on a server without the field", withoutClaimRetention: true };

/**
 * Whoever changes owner references must be allowed to delete what carries them, as on OpenShift; and with the admission policy
 * of PVC retention.
 */
export const guarded: Setting = {
  ...common,
  name: "where changes of owner references are guarded, with the admission policy",
  guardsOwnerReferences: true,
  components: [...common.components, "pvc-retention/owner-references-enforced", "pvc-retention/admission-policy"],
};

/** Where Kubernetes' own controller deletes the claims of a scale-down: it makes no pod until they are gone. */
export const atOnce: readonly Setting[] = [whole, scaled];

/** Where claims of pods that run belong to their set, by whomever, if they are to go with it. */
export const whereReferred: readonly Setting[] = [whole, before, guarded];

/** Those that differ in what Kubernetes does and what the functions do. */
export const core: readonly Setting[] = [whole, scaled, off, before];

/** Where the server knows the field and Kubernetes' controller obeys it. */
export const withField: readonly Setting[] = [whole, scaled, off, guarded];

/** Where the policy is written onto the field as a whole. */
export const projected: readonly Setting[] = [whole, guarded];
