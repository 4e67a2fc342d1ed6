import { Readable } from "node:stream";
import { digestOf } from "../oci/descriptor.ts";
import type { RegistryAccess } from "../registry/registry.ts";
import type { Answer, Message, Transport } from "../registry/transport.ts";

/** A registry in memory, for what real ones do rarely, or only some of them do. */
export interface FakeRegistry {
  readonly blobs: Map<string, Buffer>;
  /** By tag and by digest. */
  readonly manifests: Map<string, { readonly bytes: Buffer; readonly type: string }>;
  /** Every message that came, as `METHOD /path?query`. */
  readonly seen: string[];
  readonly transport: Transport;
}

/** How one is to be. */
export interface FakeRegistryOptions {
  /** Says that it has seen what a manifest is about, as OCI 1.1 has it. */
  readonly referrers?: boolean;
  /** Stands before it: answers in its place, or rejects as a connection does that is cut. */
  readonly intercept?: (message: Message, next: Transport) => Promise<Answer>;
}

/** An answer of any server. */
export function answerOf(status: number, headers: Readonly<Record<string, string>> = {}, body = ""): Answer {
  const stream = Object.assign(Readable.from([Buffer.from(body)]), {
    text: async () => body,
    dump: async () => {},
  });
  return { status, url: "", header: (name) => headers[name], body: stream };
}

/** The bytes of a message's body. */
export async function bodyOf({ body }: Message): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (body) for await (const chunk of await body()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Makes one that is empty, has one repository, and lets everybody in. */
export function fakeRegistry({ referrers = false, intercept }: FakeRegistryOptions = {}): FakeRegistry {
  const uploads = new Map<string, Buffer>();
  const registry: FakeRegistry = {
    blobs: new Map(),
    manifests: new Map(),
    seen: [],
    async transport(message) {
      const { pathname, search } = new URL(message.url);
      registry.seen.push(`${message.method} ${pathname}${search}`);
      const answer = await (intercept ? intercept(message, answerTo) : answerTo(message));
      return { ...answer, url: message.url };
    },
  };

  async function answerTo(message: Message): Promise<Answer> {
    const { pathname, searchParams } = new URL(message.url);
    const [, kind, name = ""] = /^\/v2\/.+\/(blobs\/uploads|blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
    if (kind === "manifests") return manifest(message, name);
    if (kind === "blobs") {
      const bytes = registry.blobs.get(name);
      return bytes ? answerOf(200, {}, message.method === "GET" ? bytes.toString() : "") : answerOf(404);
    }
    if (kind === "blobs/uploads") return upload(message, name, searchParams);
    return answerOf(200);
  }

  async function manifest(message: Message, name: string): Promise<Answer> {
    if (message.method !== "PUT") {
      const { bytes, type } = registry.manifests.get(name) ?? {};
      return bytes ? answerOf(200, { "content-type": type ?? "" }, bytes.toString()) : answerOf(404);
    }
    const bytes = await bodyOf(message);
    const known = { bytes, type: message.headers?.["content-type"] ?? "" };
    registry.manifests.set(name, known).set(digestOf(bytes), known);
    const { subject } = JSON.parse(bytes.toString()) as { subject?: { digest: string } };
    return answerOf(201, referrers && subject ? { "oci-subject": subject.digest } : {});
  }

  async function upload(message: Message, id: string, query: URLSearchParams): Promise<Answer> {
    if (message.method === "POST") {
      const fresh = String(uploads.size + 1);
      uploads.set(fresh, Buffer.alloc(0));
      // Relative, and with something in its query that must come back.
      return answerOf(202, { location: `${new URL(message.url).pathname}${fresh}?state=s` });
    }
    const had = uploads.get(id);
    if (!had || query.get("state") !== "s") return answerOf(404);
    const location = `${new URL(message.url).pathname}?state=s`;
    if (message.method === "GET") return answerOf(204, { location, range: `0-${Math.max(had.length - 1, 0)}` });
    const range = message.headers?.["content-range"];
    if (range && Number(range.split("-")[0]) !== had.length) return answerOf(416);
    const bytes = Buffer.concat([had, await bodyOf(message)]);
    uploads.set(id, bytes);
    if (message.method === "PATCH") return answerOf(202, { location });
    if (digestOf(bytes) !== query.get("digest"))
      return answerOf(400, {}, JSON.stringify({ errors: [{ code: "DIGEST_INVALID", message: "it has another" }] }));
    registry.blobs.set(digestOf(bytes), bytes);
    return answerOf(201);
  }

  return registry;
}

/**
 * Only this registry, under any name; the client does not wait between tries, and `pauses` gets how long it
 * would have been.
 */
export function surroundedBy(
  { transport }: FakeRegistry,
  more: Partial<RegistryAccess> = {},
  pauses: number[] = [],
): RegistryAccess {
  return {
    transport,
    insecureTransport: transport,
    insecure: false,
    patience: { tries: 4, pause: 500, sleep: async (milliseconds) => void pauses.push(milliseconds) },
    credentials: async () => undefined,
    ...more,
  };
}
