import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import { selectorText } from "../selector/label-object.ts";
import { ageOf } from "./age.ts";
import { column, containersOf, count, labelsText, nameColumn, orNone, type Printer, text, wide } from "./printer.ts";

const containers = [wide("Containers"), wide("Images")];
const age = (object: Fields, now: number) => ageOf(fieldsAt(object, "metadata").creationTimestamp, now);
const name = (object: Fields) => fieldsAt(object, "metadata").name;
const template = (object: Fields) => containersOf(fieldsAt(object, "spec", "template"));
const desired = (object: Fields) => count(specOf(object).replicas);

/** StatefulSets. */
export const statefulSetPrinter: Printer = {
  columns: [nameColumn, column("Ready"), column("Age"), ...containers],
  cells: (set, now) => [
    name(set),
    `${count(statusOf(set).readyReplicas)}/${desired(set)}`,
    age(set, now),
    ...template(set),
  ],
};

/** Deployments. */
export const deploymentPrinter: Printer = {
  columns: [
    nameColumn,
    column("Ready"),
    column("Up-to-date"),
    column("Available"),
    column("Age"),
    ...containers,
    wide("Selector"),
  ],
  cells(deployment, now) {
    const status = statusOf(deployment);
    return [
      name(deployment),
      `${count(status.readyReplicas)}/${desired(deployment)}`,
      count(status.updatedReplicas),
      count(status.availableReplicas),
      age(deployment, now),
      ...template(deployment),
      shownSelector(specOf(deployment)),
    ];
  },
};

/** ReplicaSets. */
export const replicaSetPrinter: Printer = {
  columns: [
    nameColumn,
    column("Desired", "integer"),
    column("Current", "integer"),
    column("Ready", "integer"),
    column("Age"),
    ...containers,
    wide("Selector"),
  ],
  cells(set, now) {
    const { replicas, readyReplicas } = statusOf(set);
    return [
      name(set),
      desired(set),
      count(replicas),
      count(readyReplicas),
      age(set, now),
      ...template(set),
      shownSelector(specOf(set)),
    ];
  },
};

/** DaemonSets. */
export const daemonSetPrinter: Printer = {
  columns: [
    nameColumn,
    column("Desired", "integer"),
    column("Current", "integer"),
    column("Ready", "integer"),
    column("Up-to-date", "integer"),
    column("Available", "integer"),
    column("Node Selector"),
    column("Age"),
    ...containers,
    wide("Selector"),
  ],
  cells(set, now) {
    const status = statusOf(set);
    return [
      name(set),
      count(status.desiredNumberScheduled),
      count(status.currentNumberScheduled),
      count(status.numberReady),
      count(status.updatedNumberScheduled),
      count(status.numberAvailable),
      labelsText(fieldsAt(set, "spec", "template", "spec", "nodeSelector")),
      age(set, now),
      ...template(set),
      shownSelector(specOf(set)),
    ];
  },
};

/** ControllerRevisions. */
export const revisionPrinter: Printer = {
  columns: [nameColumn, column("Controller"), column("Revision"), column("Age")],
  cells(revision, now) {
    const owner = objectsIn(fieldsAt(revision, "metadata"), "ownerReferences").find(({ controller }) => controller);
    const [group, version] = text(owner?.apiVersion).split("/");
    const kind = text(owner?.kind).toLowerCase();
    const controller = owner ? `${kind}${version ? `.${group}` : ""}/${text(owner.name)}` : "<none>";
    return [name(revision), controller, count(revision.revision), age(revision, now)];
  },
};

const shownSelector = ({ selector }: Fields) => orNone(isFields(selector) ? selectorText(selector) : "");
