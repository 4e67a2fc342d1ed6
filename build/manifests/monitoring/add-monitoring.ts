import type { Declared } from "../declared.ts";
import { everyFunction, kustomizationFile } from "../kustomization.ts";
import { metadataOf, namespace } from "../metadata.ts";
import { toFile, toYaml } from "../yaml.ts";
import { alertsFor } from "./alerts.ts";
import { dashboardFor } from "./dashboard.ts";

const folder = "knative/monitoring";

/**
 * Alerts and a dashboard, for clusters that send metrics to Prometheus: `alerts.yaml` for Prometheus itself, the same
 * as an object for the Prometheus operator, and `dashboard.json` for Grafana.
 */
export function addMonitoring(files: Map<string, string>, functions: readonly Declared[]): void {
  const rules = { groups: [{ name: "holdfast", rules: alertsFor(functions) }] };
  const { labels, ...metadata } = metadataOf("monitoring", "holdfast");
  const operated = { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule" };
  const object = { ...operated, metadata: { ...metadata, labels }, spec: rules };
  files.set(
    `${folder}/alerts.yaml`,
    toFile(everyFunction, [toYaml(rules)], "Rules for Prometheus: docs/monitoring.md"),
  );
  files.set(`${folder}/prometheus-rule.yaml`, toFile(everyFunction, [toYaml(object)]));
  files.set(`${folder}/dashboard.json`, `${JSON.stringify(dashboardFor(functions), undefined, 2)}\n`);
  const dashboard = {
    name: "holdfast-dashboard",
    namespace,
    files: ["dashboard.json"],
    // By its label Grafana's sidecar finds it; by its name a second apply does.
    options: { labels: { grafana_dashboard: "1" }, disableNameSuffixHash: true },
  };
  const parts = { resources: ["prometheus-rule.yaml"], configMapGenerator: [dashboard] };
  const about =
    "Alerts for the Prometheus operator, and a dashboard for Grafana's sidecar. For clusters in which the functions " +
    "send metrics: see docs/monitoring.md.";
  files.set(`${folder}/kustomization.yaml`, kustomizationFile("Kustomization", parts, about));
}
