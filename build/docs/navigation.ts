/** A group of the menu: documents of the repository, in their order. */
export interface Group {
  readonly title: string;
  readonly documents: readonly string[];
}

const docs = (...names: readonly string[]) => names.map((name) => `docs/${name}.md`);

/** What the menu has, group by group. A document that no group names comes last. */
const groups: readonly Group[] = [
  { title: "Begin", documents: ["README.md", "CHANGELOG.md"] },
  {
    title: "Concepts",
    documents: docs(
      "way-of-an-event",
      "hints-and-sweep",
      "two-phase-protection",
      "retention",
      "undelete",
      "what-holdfast-owns",
      "glossary",
    ),
  },
  {
    title: "Guides",
    documents: docs(
      "laptop",
      "tours",
      "install",
      "install-knative",
      "install-without-knative",
      "one-system",
      "admission-policies",
      "tune",
      "gitops",
      "get-a-claim-back",
      "restore-a-snapshot",
      "canary",
      "volumes",
      "satellites",
      "eviction",
      "move-to-holdfast",
      "console",
      "upgrade",
      "uninstall",
    ),
  },
  {
    title: "Reference",
    documents: [
      ...docs(
        "rules",
        "settings",
        "permissions",
        "names",
        "events",
        "overlays",
        "command-line",
        "chart-values",
        "compatibility",
        "images",
      ),
      "knative/salt/README.md",
    ],
  },
  {
    title: "Operations",
    documents: [
      ...docs(
        "what-is-held",
        "monitoring",
        "tracing",
        "while-it-is-down",
        "brokers",
        "stale-subscribers",
        "dead-letters",
        "numbers",
      ),
      "SECURITY.md",
      ...docs("threat-model", "who-may-do-what", "beside-other-tools", "troubleshooting"),
    ],
  },
];

const contribute: Group = {
  title: "Contribute",
  documents: [
    "CONTRIBUTING.md",
    "docs/reading-test.md",
    "docs/event-to-patch.md",
    "eventing/README.md",
    "local/README.md",
  ],
};

const systems = ["pvc-protection", "pvc-retention", "undelete", "volume", "satellite", "eviction", "platform"];

/**
 * The menu of these documents. Pages of functions have a group for each system; source files have none.
 *
 * @throws Error where the menu names a document that is not there.
 */
export function navigationOf(documents: readonly string[]): readonly Group[] {
  const known = new Set([...groups, contribute].flatMap((group) => group.documents));
  const missing = [...known].filter((one) => !documents.includes(one));
  if (missing.length > 0) throw new Error(`The menu names ${missing.join(", ")}, which does not exist.`);
  const others = documents.filter((one) => /^docs\/[^/]+\.md$/.test(one) && !known.has(one));
  return [
    ...groups,
    { title: "More", documents: [...others, "sources/README.md"] },
    ...systems.map((system) => ({
      title: `Rules: ${system}`,
      documents: documents.filter((one) => one.startsWith(`functions/${system}/`)),
    })),
    { title: "Decisions", documents: documents.filter((one) => one.startsWith("docs/adr/")) },
    contribute,
  ]
    .map(({ title, documents: of }) => ({ title, documents: of.filter((one) => documents.includes(one)) }))
    .filter((group) => group.documents.length > 0);
}
