import { type Block, blocksBelow, scriptOf } from "../cluster/walk/page.ts";

/** A section whose commands run on the laptop edition, and what makes the cluster what its readers have. */
interface Section {
  readonly page: string;
  readonly heading: string;
  /** A script that runs before the commands, in the same shell. */
  readonly before?: string;
  /** What is put in the place of texts of the page, such as the names that a reader puts there. */
  readonly values?: Readonly<Record<string, string>>;
  /** A script that runs after the commands, in the same shell, and fails if they did not do what the page says. */
  readonly after?: string;
}

/** The script of a section. Blocks of the language `text` are not walked. */
export function scriptOfSection({ page, heading, before = "", values = {}, after = "" }: Section): string {
  const blocks = blocksBelow(page, heading)
    .filter(({ language }) => language !== "text")
    .map((block) => (isObjects(block) ? { ...block, language: "sh", text: applied(block.text) } : block));
  const commands = Object.entries(values).reduce((text, [theirs, ours]) => {
    if (!text.includes(theirs)) throw new Error(`${page} has no ${theirs} below "${heading}".`);
    return text.replaceAll(theirs, ours);
  }, scriptOf(blocks));
  return [before, commands, after].join("\n");
}

/** YAML of which the page names no file: a reader applies it. */
const isObjects = ({ language, text }: Block) => language === "yaml" && text.startsWith("apiVersion:");
const applied = (objects: string) => `kubectl apply -f - <<'YAML'\n${objects}\nYAML`;

/** Creates a claim, and waits until it has a volume. */
export const createClaim = (name: string, namespace = "shop") => `kubectl apply -n ${namespace} -f - <<'YAML'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name} }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
YAML
kubectl wait pvc ${name} -n ${namespace} --for=jsonpath='{.status.phase}'=Bound --timeout=2m`;

const volumeOf = (claim: string) => `$(kubectl get pvc ${claim} -n shop -o jsonpath='{.spec.volumeName}')`;
const policy = "{.spec.persistentVolumeReclaimPolicy}";
const reclaimAt = "{.metadata.annotations.holdfast\\.dev/reclaim-at}";

/** Creates a claim whose volume is kept, and deletes it. The volume is then in the variable. */
const keepVolume = (claim: string, variable: string) => `${createClaim(claim)}
${variable}=${volumeOf(claim)}
kubectl wait pv "$${variable}" --for=jsonpath='${policy}'=Retain --timeout=6m
kubectl annotate pv "$${variable}" holdfast.dev/offer=no --overwrite
kubectl delete pvc ${claim} -n shop --timeout=2m
kubectl wait pv "$${variable}" --for=jsonpath='${reclaimAt}' --timeout=6m`;

const set = `kubectl apply -n shop -f - <<'YAML'
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web, annotations: { holdfast.dev/pvc-delete-policy: DeleteOnScaledownAndStatefulSetDeletion } }
spec:
  replicas: 2
  serviceName: web
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web }] }
YAML
field='{.spec.persistentVolumeClaimRetentionPolicy.whenScaled}'
kubectl wait sts web -n shop --for=jsonpath="$field"=Delete --timeout=6m`;

/** Sections whose commands run as they are, in this order. */
export const sections: readonly Section[] = [
  {
    page: "docs/get-a-claim-back.md",
    heading: "Before anything happens",
    before: `kubectl create namespace shop\n${createClaim("data")}`,
  },
  { page: "docs/get-a-claim-back.md", heading: "After the deletion", before: "kubectl delete pvc data -n shop" },
  { page: "docs/what-is-held.md", heading: "What is held now, and why" },
  { page: "docs/restore-a-snapshot.md", heading: "Restore a snapshot under a claim's name" },
  {
    page: "docs/undelete.md",
    heading: "Ask for it",
    before: createClaim("scratch"),
    values: {
      "namespace shop holdfast.dev/keep-volume-for=24h": "--overwrite namespace shop holdfast.dev/keep-volume-for=24h",
    },
    after: `volume=${volumeOf("scratch")}
kubectl wait pv "$volume" --for=jsonpath='${policy}'=Delete --timeout=6m`,
  },
  {
    page: "docs/undelete.md",
    heading: "Look",
    before: keepVolume("look", "kept"),
    values: { "kubectl get pv": "looked=$(kubectl get pv", 'reclaim-at"': 'reclaim-at")' },
    after: 'grep "^$kept  *shop  *look  *Released  *20" <<< "$looked"',
  },
  {
    page: "docs/undelete.md",
    heading: "Change the time",
    before: keepVolume("late", "kept"),
    values: { VOLUME: '"$kept"' },
    after: 'kubectl wait pv "$kept" --for=delete --timeout=8m',
  },
  {
    page: "docs/undelete.md",
    heading: "Swap two volumes",
    before: `${keepVolume("data-web-0", "former")}
${createClaim("data-web-0")}
new=${volumeOf("data-web-0")}
test "$former" != "$new"
kubectl wait pv "$new" --for=jsonpath='${policy}'=Retain --timeout=6m`,
    values: { "pv OLD": 'pv "$former"', "pv NEW": 'pv "$new"' },
    after: `kubectl wait pv "$former" --for=jsonpath='{.status.phase}'=Available --timeout=6m
${createClaim("data-web-0")}
test "${volumeOf("data-web-0")}" = "$former"`,
  },
  {
    page: "docs/while-it-is-down.md",
    heading: "Before you start it again",
    before: keepVolume("down", "kept"),
    values: { "kubectl get pv": "looked=$(kubectl get pv", 'reclaim-at"': 'reclaim-at")' },
    after: 'grep "^$kept  *shop  *down  *20" <<< "$looked"',
  },
  { page: "docs/while-it-is-down.md", heading: "Have the functions look" },
  {
    page: "docs/retention.md",
    heading: "When the set was scaled down already",
    before: set,
    after: `kubectl wait sts web -n shop --for=jsonpath="$field"=Retain --timeout=6m`,
  },
  { page: "docs/retention.md", heading: "Before you scale down or delete a set" },
  {
    page: "docs/monitoring.md",
    heading: "One check for everything",
    after: "kubectl get clusterrolebinding holdfast-status holdfast-status-eviction",
  },
  {
    page: "docs/undelete.md",
    heading: "A namespace that comes back",
    before: `kubectl annotate namespace shop holdfast.dev/keep-volume-for=24h --overwrite
${createClaim("home")}
home=${volumeOf("home")}
kubectl wait pv "$home" --for=jsonpath='${policy}'=Retain --timeout=6m
kubectl annotate pv -l holdfast.dev/volume-of=shop holdfast.dev/offer-
kubectl delete namespace shop --timeout=6m
kubectl create namespace shop`,
    after: `kubectl wait pv "$home" --for=jsonpath='{.status.phase}'=Available --timeout=6m
${createClaim("home")}
test "${volumeOf("home")}" = "$home"`,
  },
  {
    page: "docs/dead-letters.md",
    heading: "Dead-lettered events, and their replay",
    before: "kubectl -n holdfast create configmap holdfast-dead-letters --from-literal=one=an-event",
    after: `test -z "$(kubectl -n holdfast get configmap holdfast-dead-letters -o jsonpath='{.data}')"`,
  },
  { page: "docs/permissions.md", heading: "What each function may do" },
  {
    page: "docs/console.md",
    heading: "Sign in with a token",
    before: "kubectl create serviceaccount anna -n shop",
    values: { ACCOUNT: "anna", NAMESPACE: "shop" },
    after: "kubectl get secret holdfast-console -n holdfast",
  },
  {
    page: "docs/volumes.md",
    heading: "4. A class, a Volume and a claim",
    values: { "nodeName: worker-0": "nodeName: laptop" },
  },
  { page: "docs/volumes.md", heading: "What a Volume says" },
  {
    page: "docs/volumes.md",
    heading: "Delete a Volume",
    before: "kubectl delete pod reader --timeout=2m\nkubectl delete pvc data --timeout=2m",
    // It would go on for ever.
    values: { " --watch": "" },
    after: "kubectl wait volume prometheus-0 --for=delete --timeout=6m",
  },
  { page: "docs/canary.md", heading: "Try a new version on some claims first" },
];
