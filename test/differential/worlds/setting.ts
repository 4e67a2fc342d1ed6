import { withTurns } from "../../../local/start/swept-often.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Setting } from "../../harness/cluster.ts";
import type { Mutant } from "../mutants/mutant.ts";

/** Who is there in ours: the repository's functions, none, or one mutant alone. */
export type Functions = "repository" | "none" | Mutant;

const known = new Map<Functions, Map<boolean, Setting>>();

/**
 * What is installed: PVC retention, with its admission policy or without it, and undelete, of which nothing is seen
 * until a namespace asks for it. One and the same setting each time.
 */
export function settingOf(functions: Functions, admissionPolicy: boolean): Setting {
  const settings = known.get(functions) ?? new Map<boolean, Setting>();
  known.set(functions, settings);
  const setting = settings.get(admissionPolicy) ?? create(functions, admissionPolicy);
  settings.set(admissionPolicy, setting);
  return setting;
}

const create = (functions: Functions, admissionPolicy: boolean): Setting => ({
  name: `beside plain Kubernetes, ${admissionPolicy ? "with" : "without"} the admission policy`,
  inTree: true,
  guardsOwnerReferences: false,
  environment: {},
  components: admissionPolicy ? ["pvc-retention/admission-policy"] : [],
  // It would hold claims of plain Kubernetes as well.
  leaveOut: ({ metadata }: KubernetesObject) => metadata.labels?.["app.kubernetes.io/name"] === "pvc-protection",
  edit: (object) => {
    // The sweep comes to every set and volume each minute, not each hour: no sequence waits for that.
    const swept = withTurns(object, "1m", (rule) => /^(pvc-retention|undelete)\//.test(rule));
    return typeof functions === "string" ? swept : functions.grant(swept);
  },
});
