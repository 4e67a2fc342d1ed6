import { Volume } from "../../functions/volume/lib/kinds.ts";
import { type Problem, problemsOf } from "./validate-spec.ts";

/** What has been entered into the wizard so far. */
export interface Draft {
  /** With more than one, `{n}` in it stands for the number. */
  readonly name: string;
  readonly count: number;
  readonly nodeName: string;
  readonly type: "sparseLoopDevice" | "rawBlockDevice" | "lvmLogicalVolume";
  readonly size: string;
  readonly devicePath: string;
  readonly vgName: string;
  readonly storageClassName: string;
  readonly mode: "Filesystem" | "Block";
  /** `key=value`, separated by commas or lines. */
  readonly labels: string;
}

export const emptyDraft: Draft = {
  name: "",
  count: 1,
  nodeName: "",
  type: "sparseLoopDevice",
  size: "10Gi",
  devicePath: "",
  vgName: "",
  storageClassName: "",
  mode: "Filesystem",
  labels: "",
};

/** More than a person would look through. */
const mostAtOnce = 50;

/** The names that the draft stands for. */
const namesOf = ({ name, count }: Draft): readonly string[] =>
  count === 1 ? [name] : Array.from({ length: count }, (_, index) => name.replaceAll("{n}", String(index + 1)));

function specOf({ nodeName, type, size, devicePath, vgName, storageClassName, mode, labels }: Draft): object {
  const storage = {
    sparseLoopDevice: { size },
    // A device each: `{n}` in the path is no name of a device, and is refused.
    rawBlockDevice: { devicePath },
    lvmLogicalVolume: { vgName, size },
  }[type];
  const given = labelsOf(labels);
  const template = Object.keys(given).length > 0 ? { template: { metadata: { labels: given } } } : {};
  return { nodeName, storageClassName, mode, ...template, [type]: storage };
}

/** The Volumes as they are sent to the API server. */
export const manifestsOf = (draft: Draft): readonly { readonly name: string; readonly object: object }[] =>
  namesOf(draft).map((name) => ({
    name,
    object: { apiVersion: Volume.apiVersion, kind: Volume.kind, metadata: { name }, spec: specOf(draft) },
  }));

function labelsOf(text: string): Record<string, string> {
  const pairs = text.split(/[\s,]+/).filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** What is to be corrected before the draft can be sent. */
export function problemsIn(draft: Draft): readonly Problem[] {
  const { name, count, type } = draft;
  const isName = namesOf({ ...draft, count: Math.max(1, Math.min(count, mostAtOnce)) }).every((one) =>
    /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(one),
  );
  const own = [
    [!isName, "name", "must be lower case letters, digits, - and ., such as data-1"],
    [
      !(count >= 1 && count <= mostAtOnce && count % 1 === 0),
      "count",
      `must be a whole number from 1 to ${mostAtOnce}`,
    ],
    [count > 1 && !name.includes("{n}"), "name", "must have {n} in it, which becomes the number"],
    [count > 1 && type === "rawBlockDevice", "count", "must be 1: each Volume needs a device of its own"],
  ] as const;
  const wrong = own.flatMap(([isWrong, field, message]) => (isWrong ? [{ field, message }] : []));
  return [...wrong, ...problemsOf(specOf(draft))];
}
