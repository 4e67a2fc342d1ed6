import fc from "fast-check";
import type { HttpRequest } from "../../shared/http-message.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** One thing that is wrong with an event. */
type Damage = (event: Event) => Event;

interface Event {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

const attribute = fc.constantFrom(
  "specversion",
  "id",
  "source",
  "type",
  "kind",
  "apiversion",
  "name",
  "namespace",
  "time",
);
const text = fc.oneof(
  fc.string(),
  fc.constantFrom("", "0.3", "..", "a/b", "%zz", "\u0000", "a".repeat(254), "Pod", "Secret"),
);

/** Values that stand where something else belongs. */
const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, 7, "x", [], [null], [7], {}, [{}]));

/** Places in an object that rules read. */
const places = [
  "apiVersion",
  "kind",
  "metadata",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.deletionTimestamp",
  "metadata.finalizers",
  "metadata.annotations",
  "metadata.labels",
  "metadata.ownerReferences",
  "spec",
  "spec.nodeName",
  "spec.volumes",
  "spec.volumeName",
  "spec.replicas",
  "spec.ordinals",
  "spec.volumeClaimTemplates",
  "spec.persistentVolumeClaimRetentionPolicy",
  "status",
  "status.phase",
  "status.conditions",
] as const;

const ofAttributes = fc.oneof(
  attribute.map(
    (name): Damage =>
      ({ attributes: { [name]: _, ...rest }, data }) => ({ attributes: rest, data }),
  ),
  fc.tuple(fc.oneof(attribute, fc.string({ maxLength: 12 })), fc.oneof(text, anything)).map(
    ([name, value]): Damage =>
      ({ attributes, data }) => ({ attributes: { ...attributes, [name]: value }, data }),
  ),
);

const ofData = fc.oneof(
  anything.map(
    (data): Damage =>
      ({ attributes }) => ({ attributes, data }),
  ),
  fc.tuple(fc.constantFrom(...places), fc.option(anything, { nil: undefined })).map(
    ([place, value]): Damage =>
      ({ attributes, data }) => ({ attributes, data: replaced(data, place, value) }),
  ),
);

/** `undefined` takes away what stands there. */
function replaced(data: unknown, place: string, value: unknown): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  const [first = "", ...rest] = place.split(".");
  const fields = data as Record<string, unknown>;
  return { ...fields, [first]: rest.length > 0 ? replaced(fields[first] ?? {}, rest.join("."), value) : value };
}

type Encode = (event: Event) => HttpRequest;

const binary: Encode = ({ attributes, data }) => ({
  headers: {
    "content-type": "application/json",
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name.toLowerCase()}`, `${value}`])),
  },
  body: data === undefined ? "" : JSON.stringify(data),
});

const structured: Encode = ({ attributes, data }) => ({
  headers: { "content-type": "application/cloudevents+json; charset=UTF-8" },
  body: JSON.stringify({ ...attributes, data }),
});

/** What can happen to any request on its way. */
const ofRequests = fc.oneof(
  fc
    .constantFrom("", "text/plain", "application/xml", "application/json", "application/cloudevents", "multipart/mixed")
    .map((type) => (request: HttpRequest) => ({ ...request, headers: { ...request.headers, "content-type": type } })),
  fc.constant(({ headers, body }: HttpRequest) => ({
    headers: { ...headers, "content-type": "application/cloudevents-batch+json" },
    body: `[${body || "{}"}]`,
  })),
  fc.double({ min: 0, max: 1, noNaN: true }).map((part) => ({ headers, body }: HttpRequest) => ({
    headers,
    body: body.slice(0, Math.floor(body.length * part)),
  })),
  fc.oneof(fc.string(), fc.json()).map((body) => ({ headers }: HttpRequest) => ({ headers, body })),
);

/** Events about this object, as sources send them and with up to four things wrong, in either mode. */
export function eventsOf(object: KubernetesObject): fc.Arbitrary<HttpRequest> {
  const { apiVersion, kind, metadata } = object;
  const type = fc.constantFrom(
    "dev.knative.apiserver.resource.add",
    "dev.knative.apiserver.resource.update",
    "dev.knative.apiserver.resource.delete",
    "dev.knative.apiserver.ref.update",
    "dev.holdfast.sweep",
    "dev.knative.sources.ping",
  );
  return fc
    .tuple(
      type,
      fc.array(fc.oneof(ofAttributes, ofData), { maxLength: 3 }),
      fc.constantFrom(binary, structured),
      fc.array(ofRequests, { maxLength: 1 }),
    )
    .map(([type, damages, encode, mishaps]) => {
      const attributes = {
        specversion: "1.0",
        id: "1",
        source: "https://10.96.0.1:443",
        type,
        kind,
        apiversion: apiVersion,
        name: metadata.name,
        namespace: metadata.namespace ?? "",
      };
      const data = type.includes(".resource.") ? object : undefined;
      const event = damages.reduce<Event>((event, damage) => damage(event), { attributes, data });
      return mishaps.reduce<HttpRequest>((request, mishap) => mishap(request), encode(event));
    });
}
