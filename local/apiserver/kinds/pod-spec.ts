import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { objectIn, objectsIn, setMissing } from "./fields.ts";

/** Fills in what the API defaults in a pod's spec, be it a pod's or a template's. */
export function defaultPodSpec(spec: Fields): void {
  setMissing(spec, {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  });
  for (const volume of objectsIn(spec, "volumes")) defaultVolume(volume);
  for (const container of [...objectsIn(spec, "initContainers"), ...objectsIn(spec, "containers")]) {
    defaultContainer(container);
  }
}

function defaultVolume(volume: Fields): void {
  const { configMap, secret, projected, downwardAPI, hostPath, ephemeral } = volume;
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  for (const source of [configMap, secret, projected, downwardAPI]) {
    if (isFields(source)) setMissing(source, { defaultMode: 0o644 });
  }
  if (isFields(hostPath)) setMissing(hostPath, { type: "" });
  if (isFields(ephemeral)) {
    const template = objectIn(ephemeral, "volumeClaimTemplate");
    setMissing(template, { metadata: {} });
    setMissing(objectIn(template, "spec"), { volumeMode: "Filesystem" });
  }
}

function defaultContainer(container: Fields): void {
  const image = String(container.image ?? "");
  setMissing(container, {
    imagePullPolicy: isLatest(image) ? "Always" : "IfNotPresent",
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  for (const port of objectsIn(container, "ports")) setMissing(port, { protocol: "TCP" });
  for (const variable of objectsIn(container, "env")) {
    const source = variable.valueFrom;
    if (isFields(source) && isFields(source.fieldRef)) setMissing(source.fieldRef, { apiVersion: "v1" });
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = container[name];
    if (isFields(probe)) defaultProbe(probe);
  }
  const { limits } = objectIn(container, "resources");
  if (isFields(limits)) setMissing(objectIn(objectIn(container, "resources"), "requests"), limits);
}

function defaultProbe(probe: Fields): void {
  setMissing(probe, { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 });
  if (isFields(probe.httpGet)) setMissing(probe.httpGet, { path: "/", scheme: "HTTP" });
}

function isLatest(image: string): boolean {
  if (image.includes("@")) return false;
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined || tag === "latest";
}
