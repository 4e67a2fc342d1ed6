import { Alert, Form, FormGroup, Modal, Radio, Wizard, WizardHeader, WizardStep } from "@patternfly/react-core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { stringify } from "yaml";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { Node, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { carryOut, type Failure, failureOf } from "../api/write.ts";
import { Command } from "../parts/act.tsx";
import { Field, type FieldProps } from "../parts/field.tsx";
import { WriteFailed } from "../parts/write-failed.tsx";
import { type Draft, emptyDraft, manifestsOf, problemsIn } from "./draft.ts";
import type { Problem } from "./validate-spec.ts";

interface Class extends KubernetesObject {
  readonly volumeBindingMode?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

interface CreateVolumeProps {
  /** Why the user may create none, as a sentence. */
  readonly refused: string | undefined;
  readonly onClose: () => void;
}

/** Creates Volumes in four steps; what the API server would refuse is said beside its field. */
export default function CreateVolume({ refused, onClose }: CreateVolumeProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [made, setMade] = useState<readonly string[]>([]);
  const nodes = objectsOf(useList(Node)).map(({ metadata }) => metadata.name);
  const classes = objectsOf(useList<Class>(StorageClass));
  const problems = problemsIn(draft);
  const isWrong = (fields: RegExp) => problems.some(({ field }) => fields.test(field));
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const manifests = manifestsOf(draft);
  const text = manifests.map(({ object }) => stringify(object)).join("---\n");
  const chosen = classes.find(({ metadata }) => metadata.name === draft.storageClassName);
  const bindingMode = chosen?.volumeBindingMode;
  const hasFileSystem = ["ext4", "xfs"].includes(chosen?.parameters?.fsType ?? "");
  const creation = useMutation({
    async mutationFn() {
      const failed: Failure[] = [];
      const done = [...made];
      for (const { name, object } of manifests.filter(({ name }) => !done.includes(name)))
        await carryOut({ verb: "create", kind: Volume, name, object }).then(
          () => done.push(name),
          (error) => failed.push({ ...failureOf(error), message: `${name}: ${failureOf(error).message}` }),
        );
      setMade(done);
      return joined(failed);
    },
  });
  // Not called once Back has closed this dialog: another one may be open.
  const create = () => creation.mutate(undefined, { onSuccess: (failed) => failed.length === 0 && onClose() });
  const close = () => {
    if (!creation.isPending) onClose();
  };
  const field = { problems, draft, change };
  return (
    <Modal isOpen variant="large" aria-label="Create Volumes" elementToFocus="#volume-name" onEscapePress={close}>
      <Wizard
        height={560}
        header={
          <WizardHeader title="Create Volumes" description={refused} onClose={close} closeButtonAriaLabel="Close" />
        }
        onClose={close}
        onSave={create}
      >
        <WizardStep name="Name and node" id="where" footer={{ isNextDisabled: isWrong(/^(name|count|nodeName)$/) }}>
          <Form>
            <Entry
              {...field}
              field="name"
              label="Name"
              help="With more than one: data-{n} becomes data-1, data-2, ..."
            />
            <Entry {...field} field="count" label="How many" type="number" />
            <Entry {...field} field="nodeName" label="Node" values={nodes} />
          </Form>
        </WizardStep>
        <WizardStep name="Storage" id="storage" footer={{ isNextDisabled: isWrong(/^(sparse|raw|lvm)/) }}>
          <Form>
            <Radios {...field} field="type" label="Type" values={types} />
            {draft.type === "rawBlockDevice" && (
              <Entry {...field} field="devicePath" label="Device" help="A disk or a partition, such as /dev/sdb." />
            )}
            {draft.type === "lvmLogicalVolume" && <Entry {...field} field="vgName" label="Volume group" />}
            {draft.type !== "rawBlockDevice" && <Entry {...field} field="size" label="Size" help="For example 10Gi." />}
          </Form>
        </WizardStep>
        <WizardStep name="PersistentVolume" id="persistent" footer={{ isNextDisabled: problems.length > 0 }}>
          <Form>
            <Entry
              {...field}
              field="storageClassName"
              label="StorageClass"
              values={classes.map(({ metadata }) => metadata.name)}
            />
            {bindingMode !== undefined && bindingMode !== "WaitForFirstConsumer" && (
              <Alert variant="warning" isInline title="This class does not wait for the first consumer" component="h2">
                The storage of a Volume is on one node. With volumeBindingMode {bindingMode}, Kubernetes binds a claim
                before it knows where the pod can run. Choose a class with WaitForFirstConsumer.
              </Alert>
            )}
            {chosen && draft.mode === "Filesystem" && !hasFileSystem && (
              <Alert variant="warning" isInline title="This class names no file system" component="h2">
                Salt makes the file system that the parameter fsType of the class names, ext4 or xfs. Without it the
                Volume fails. Choose another class, or the mode Block.
              </Alert>
            )}
            <Radios {...field} field="mode" label="Mode" values={modes} />
            <Entry
              {...field}
              field="labels"
              label="Labels of the PersistentVolume"
              help="key=value, separated by commas. Claims select volumes by them."
            />
          </Form>
        </WizardStep>
        <WizardStep
          name="Review"
          id="review"
          // The keyboard scrolls it, also when a refusal makes it longer than its window.
          body={{ tabIndex: 0 }}
          footer={{
            nextButtonText: manifests.length > 1 ? `Create ${manifests.length} Volumes` : "Create the Volume",
            isNextDisabled: creation.isPending || refused !== undefined || problems.length > 0,
          }}
        >
          {creation.data?.map((failure) => (
            <WriteFailed
              key={failure.title}
              failure={failure}
              before={made.length > 0 && `Created: ${made.join(", ")}. `}
            />
          ))}
          <Command>{`kubectl create -f - <<'YAML'\n${text}YAML`}</Command>
        </WizardStep>
      </Wizard>
    </Modal>
  );
}

/** One for all that have the same outcome. */
const joined = (failures: readonly Failure[]): readonly Failure[] =>
  [...Map.groupBy(failures, ({ title }) => title).values()].map((same) => ({
    ...(same[0] as Failure),
    message: same.map(({ message }) => message).join(" "),
  }));

const types = [
  ["sparseLoopDevice", "Sparse file", "A file on the node, behind a loop device."],
  ["rawBlockDevice", "Device", "A whole disk, a partition, or a logical volume that is there already."],
  ["lvmLogicalVolume", "Logical volume", "Made in a volume group of the node."],
] as const;

const modes = [
  ["Filesystem", "Filesystem: pods get a file system"],
  ["Block", "Block: pods get the device"],
] as const;

interface EntryProps extends Pick<FieldProps, "label" | "help" | "type" | "values"> {
  readonly field: keyof Draft;
  readonly draft: Draft;
  readonly problems: readonly Problem[];
  readonly change: (changes: Partial<Draft>) => void;
}

/** A field of the draft. What is wrong with it is said once something has been written there. */
function Entry({ field, draft, problems, change, ...shown }: EntryProps) {
  const of = field === "labels" ? "template" : field;
  const problem = problems.find((problem) => problem.field.split(".").includes(of))?.message;
  return (
    <Field
      {...shown}
      // An element whose id is that of a property, such as nodeName, hides this property of its form.
      id={`volume-${field}`}
      value={draft[field]}
      problem={draft[field] === "" ? undefined : problem}
      isRequired={field !== "labels"}
      onChange={(value) => change({ [field]: shown.type === "number" ? Number(value) : value })}
    />
  );
}

interface RadiosProps extends Omit<EntryProps, "values"> {
  readonly values: readonly (readonly [value: string, label: string, description?: string])[];
}

function Radios({ field, label, values, draft, change }: RadiosProps) {
  return (
    <FormGroup role="radiogroup" label={label} fieldId={field}>
      {values.map(([value, label, description]) => (
        <Radio
          key={value}
          id={value}
          name={field}
          label={label}
          description={description}
          isChecked={draft[field] === value}
          onChange={() => change({ [field]: value })}
        />
      ))}
    </FormGroup>
  );
}
