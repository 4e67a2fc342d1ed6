import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Declared, systemOf } from "../../manifests/declared.ts";
import { commonSettingsOf, type Setting, settingsOf } from "../../manifests/settings.ts";
import { type Comment, toYaml, wrap } from "../../manifests/yaml.ts";
import { addressNames } from "./addresses.ts";
import { neededBy, systemOfOption } from "./documents.ts";
import type { Choices } from "./installations.ts";
import { settingSchema } from "./setting-schema.ts";

/** What values can say about the images and the functions of the chart. */
export interface ChartFacts {
  readonly choices: Choices;
  readonly functions: readonly Declared[];
  /** What optional systems say of themselves, by name. */
  readonly systemDocs: ReadonlyMap<string, string>;
  /** HOST/PATH beneath which each image has a repository. */
  readonly repository: string;
  /** By `<system>/<function>`: `sha256:` and 64 digits. */
  readonly digests: ReadonlyMap<string, string>;
  /** What most containers may use. */
  readonly resources: object;
  /** Of those that have others. */
  readonly otherResources: Readonly<Record<string, object>>;
}

/** The settings that an administrator may change: of each function, and of the systems whose functions share some. */
export function settingsByName(functions: readonly Declared[]): ReadonlyMap<string, readonly Setting[]> {
  const shared = [...Map.groupBy(functions, systemOf)].map(([system, members]): [string, readonly Setting[]] => [
    system,
    commonSettingsOf(members),
  ]);
  const own = functions.map((declared): [string, readonly Setting[]] => [declared.name, settingsOf(declared)]);
  return new Map([...shared, ...own].filter(([, settings]) => settings.length > 0).sort(byName));
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);

/** What each part of the values is for. */
export const about = {
  namespace:
    "Whether the chart has the namespace holdfast, with its Pod Security labels. Install with --create-namespace and " +
    "--take-ownership then.",
  knative: "Off: each function is a Deployment that always runs, for clusters without Knative.",
  systems: "What Holdfast looks after.",
  options: "More of a system. Each needs its system.",
  components: "What may be added to any installation.",
  image: "Where the images are: `<repository>/<system>/<function>@<digest>`.",
  settings: "The settings of functions, and of systems whose functions share some.",
  telemetry:
    "Variables of OpenTelemetry for all functions, such as OTEL_EXPORTER_OTLP_ENDPOINT: see docs/tracing.md. Empty: " +
    "no traces and no metrics.",
  resources: "What containers may use: by function, or by default.",
  addresses:
    "Where the API server and Salt are, as CIDRs such as 192.0.2.10/32, for the component network-policy: functions " +
    "then reach them there only. Also name the addresses of Cluster API's management cluster, and of an OpenStack " +
    "outside of the cluster at port 443, as apiServer. Empty: their ports are open to every address.",
  filters:
    "Further filters of Triggers, as CloudEvents has them: for all, for a system, or for one function. They need " +
    "Knative. Let events of the type dev.holdfast.sweep pass: without them, a deleted claim can stay in Terminating " +
    "for ever.",
};

/** `values.yaml`, with a comment on everything. */
export function valuesYaml(facts: ChartFacts): string {
  const { choices, repository, digests, functions } = facts;
  const settings = settingsByName(functions);
  const flags = (names: readonly string[], enabled: readonly string[] = []) =>
    Object.fromEntries(names.map((name) => [name, enabled.includes(name)]));
  const values = {
    namespace: { create: true },
    knative: true,
    systems: flags(choices.systems, choices.byDefault),
    options: flags(choices.options),
    components: flags(choices.components),
    image: { repository, digests: Object.fromEntries([...digests].sort(byName)) },
    settings: Object.fromEntries(
      [...settings].map(([name, all]) => [
        name,
        Object.fromEntries(all.map(({ variable, value }) => [variable, value])),
      ]),
    ),
    telemetry: {},
    resources: { default: facts.resources, ...facts.otherResources },
    addresses: Object.fromEntries(addressNames.map((name) => [name, []])),
    filters: {},
  };
  const comments: Comment[] = [
    ...Object.entries(about).map(([key, text]) => ({ at: [key], text: wrap(text, 100) })),
    ...flagDocs(facts).map(([path, text]) => ({ at: path, text: wrap(text, 100) })),
    ...[...settings].flatMap(([name, all]) =>
      all.map((setting) => ({ at: ["settings", name, setting.variable], text: wrap(sentenceOf(setting), 100) })),
    ),
  ];
  return toYaml(values, comments);
}

/** What there is to say about each system, option and component. */
function flagDocs({ choices, systemDocs }: ChartFacts): readonly (readonly [readonly string[], string])[] {
  const documented: (readonly [readonly string[], string])[] = [
    ...choices.systems.map((name) => [["systems", name], systemDocs.get(name) ?? ""] as const),
    ...choices.options.map((name) => [["options", name], choices.aboutOf(name)] as const),
    ...choices.components.map((name) => [["components", name], choices.aboutOf(`components/${name}`)] as const),
  ];
  return documented.filter(([, text]) => text !== "");
}

const sentenceOf = ({ values, description }: Setting) =>
  values ? `One of ${values.join(", ")}. ${description}` : description;

/** An address of IPv4 or IPv6 with the length of its prefix. */
const cidr = "^[0-9a-fA-F.:]+/[0-9]{1,3}$";

/** `values.schema.json`: what is misspelt is refused, and an option without what it needs. */
export function valuesSchema(facts: ChartFacts, needKnative: readonly string[]): object {
  const { choices, functions } = facts;
  const docs = new Map(flagDocs(facts).map(([path, text]) => [path.join(" "), text]));
  const flags = (section: string, names: readonly string[]) =>
    closed(
      Object.fromEntries(
        names.map((name) => {
          const description = docs.get(`${section} ${name}`);
          return [name, { type: "boolean", ...(description ? { description } : {}) }];
        }),
      ),
      about[section as keyof typeof about],
    );
  const names = [...new Set(functions.map(({ name }) => name))].sort();
  const images = [...facts.digests.keys()].sort();
  const settings = [...settingsByName(functions)].map(([name, all]) => [
    name,
    closed(Object.fromEntries(all.map((setting) => [setting.variable, settingSchema(setting)]))),
  ]);
  const open = (keys: readonly string[], schema: object, description: string) =>
    closed(Object.fromEntries(keys.map((key) => [key, schema])), description);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart of Holdfast",
    ...closed({
      global: { type: "object" },
      namespace: closed({ create: { type: "boolean" } }, about.namespace),
      knative: { type: "boolean", description: about.knative },
      systems: flags("systems", choices.systems),
      options: flags("options", choices.options),
      components: flags("components", choices.components),
      image: closed(
        {
          repository: { type: "string", pattern: "^[^/@]+(/[^/:@]+)*$" },
          digests: open(images, { type: "string", pattern: "^sha256:[0-9a-f]{64}$" }, "By function."),
        },
        about.image,
      ),
      settings: closed(Object.fromEntries(settings), about.settings),
      telemetry: {
        type: "object",
        description: about.telemetry,
        additionalProperties: { type: ["string", "number", "boolean"] },
        propertyNames: { pattern: "^OTEL_[A-Z_]+$" },
      },
      resources: open(["default", ...images], { type: "object" }, about.resources),
      addresses: open(addressNames, { type: "array", items: { type: "string", pattern: cidr } }, about.addresses),
      filters: open(
        ["all", ...choices.systems, "platform", ...names],
        { type: "array", items: { type: "object" } },
        about.filters,
      ),
    }),
    allOf: [
      ...choices.options.flatMap((option) => {
        const system = systemOfOption(option);
        return system ? [implies("options", option, "systems", system)] : [];
      }),
      ...choices.components.flatMap((name) =>
        neededBy(name).map((needed) => implies("components", name, "components", needed)),
      ),
      {
        if: { properties: { knative: { const: false } } },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: {
          properties: {
            systems: allAre(true, choices.byDefault),
            options: allAre(
              false,
              needKnative.filter((name) => choices.options.includes(name)),
            ),
            components: allAre(
              false,
              needKnative.filter((name) => choices.components.includes(name)),
            ),
            filters: { maxProperties: 0 },
          },
        },
      },
    ],
  };
}

const closed = (properties: object, description?: string) => ({
  type: "object",
  ...(description ? { description } : {}),
  properties,
  additionalProperties: false,
});

const allAre = (value: boolean, names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { const: value }])),
});

/** With the one on, the other must be. */
function implies(section: string, name: string, otherSection: string, other: string): object {
  const is = (in_: string, of: string) => ({ properties: { [in_]: { properties: { [of]: { const: true } } } } });
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  return { if: is(section, name), then: is(otherSection, other) };
}

/** What a container of an installation may use, by the image's name. */
export function resourcesByImage(objects: readonly KubernetesObject[]): ReadonlyMap<string, object> {
  const found = objects.flatMap((object) => {
    const { spec } = object as unknown as { spec?: { template?: { spec?: { containers?: Container[] } } } };
    return (spec?.template?.spec?.containers ?? []).filter(({ image }) => image.startsWith("fn://"));
  });
  return new Map(found.map(({ image, resources }) => [image.slice("fn://".length), resources]));
}

interface Container {
  readonly image: string;
  readonly resources: object;
}
