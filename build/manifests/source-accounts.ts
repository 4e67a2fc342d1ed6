import { dirname } from "node:path";
import { parseAllDocuments } from "yaml";
import { code, compactTable } from "./markdown-table.ts";
import type { Tables } from "./reference.ts";

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

/**
 * What `docs/permissions.md` says of the accounts of sources: what each of them may read, by what brings the right.
 *
 * @param files all generated manifests by path
 */
export function sourceAccountTables(files: ReadonlyMap<string, string>): Tables {
  const rows = [...files].filter(([path]) => isOfSources(path)).flatMap(([path, text]) => rowsOf(path, text));
  return { sources: compactTable(["Account", "Installed with", "Resources"], rows) };
}

const isOfSources = (path: string) => /^sources\/|^knative\/(?!overlays\/).*\/source\.yaml$/.test(path);

function rowsOf(path: string, text: string): readonly (readonly string[])[] {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Document);
  const isWith = path.startsWith("sources/") ? "the default" : code(dirname(path).replace("knative/", ""));
  return documents.flatMap(({ kind, metadata, rules = [] }) => {
    if (kind !== "ClusterRole") return [];
    const { name } = metadata;
    const accounts = documents.filter(({ roleRef }) => roleRef?.name === name).flatMap(({ subjects = [] }) => subjects);
    const resources = rules.flatMap(({ apiGroups: [group], resources }) =>
      resources.map((resource) => code(resource) + (group ? ` of ${code(group)}` : "")),
    );
    return accounts.map((account) => [code(account.name), isWith, resources.join(", ")]);
  });
}
