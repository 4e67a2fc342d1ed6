import { UserError } from "../../../shared/command/user-error.ts";
import type { Content } from "../oci/content.ts";
import { repositoryName } from "../oci/reference.ts";
import { reasonOf } from "./explain.ts";
import type { Connection } from "./registry.ts";
import { isTransient, type Patience, pauseAfter } from "./retry.ts";
import type { Answer } from "./transport.ts";

/** Bytes that are sent at a time once sending all at once has failed. Most registries want no less than 5 MiB. */
const chunkSize = 8 * 2 ** 20;

/**
 * Puts content into a repository, unless it is there, or can be taken over from `from`, another repository of the
 * registry. It is sent in one piece; when that is cut short, or is more than the registry takes at once, in pieces,
 * from where it was cut. The registry checks the digest at the end: nothing that is not whole can be had from it.
 *
 * @throws UserError when it refuses, or goes on failing
 */
export async function uploadBlob(
  connection: Connection,
  content: Content,
  from: string | undefined,
  patience: Patience,
): Promise<"present" | "taken over" | "sent"> {
  const { digest } = content.descriptor;
  if (await hasBlob(connection, digest)) return "present";
  for (let tried = 1, chunked = false; ; tried++) {
    const start = await begin(connection, digest, tried === 1 ? from : undefined);
    if (start === "taken over") return start;
    const failure: Failure | undefined = await (chunked
      ? sendChunks(connection, start, content, 0)
      : sendWhole(connection, start, content));
    if (!failure) return "sent";
    if (failure.final || tried === patience.tries) throw failure.complaint;
    // What has come across in part need not be sent again, where the registry remembers it.
    const offset = failure.cut ? await receivedOf(connection, start) : 0;
    if (offset > 0) {
      const rest = await sendChunks(connection, start, content, offset);
      if (!rest) return "sent";
    }
    chunked = failure.tooMuch || (failure.cut && !chunked && content.descriptor.size > chunkSize);
    await patience.sleep(pauseAfter(tried, patience));
  }
}

/** Whether a repository has a blob. */
async function hasBlob(connection: Connection, digest: string): Promise<boolean> {
  const answer = await connection.send({ method: "HEAD", to: `blobs/${digest}` });
  await answer.body.dump();
  return answer.status === 200;
}

/** The address to upload to. A registry that cannot take the blob over from another repository gives one as well. */
async function begin({ repository, send }: Connection, digest: string, from?: string): Promise<string | "taken over"> {
  const mount = from ? `?${new URLSearchParams({ mount: digest, from })}` : "";
  const answer = await send({ method: "POST", to: `blobs/uploads/${mount}`, ...(from ? { from } : {}) });
  const location = answer.header("location");
  if (answer.status === 201) {
    await answer.body.dump();
    return "taken over";
  }
  if (answer.status !== 202 || !location) {
    const reason = await reasonOf(answer);
    throw new UserError(`The registry lets nothing be uploaded to ${repositoryName(repository)}: ${reason}.`);
  }
  await answer.body.dump();
  return new URL(location, answer.url).href;
}

interface Failure {
  readonly complaint: UserError;
  /** Trying again would not help. */
  readonly final: boolean;
  /** The connection went before the answer came. */
  readonly cut: boolean;
  /** More than is taken at once. */
  readonly tooMuch: boolean;
}

async function sendWhole(connection: Connection, location: string, content: Content): Promise<Failure | undefined> {
  const { digest, size } = content.descriptor;
  return judge(connection, content, 201, () =>
    connection.send({
      method: "PUT",
      to: withDigest(location, digest),
      headers: { "content-type": "application/octet-stream", "content-length": String(size) },
      body: () => content.open(),
      once: true,
    }),
  );
}

async function sendChunks(
  connection: Connection,
  location: string,
  content: Content,
  offset: number,
): Promise<Failure | undefined> {
  const { digest, size } = content.descriptor;
  let at = location;
  for (let start = offset; start < size; start += chunkSize) {
    const end = Math.min(start + chunkSize, size);
    const failure = await judge(connection, content, 202, async () => {
      const answer = await connection.send({
        method: "PATCH",
        to: at,
        headers: {
          "content-type": "application/octet-stream",
          "content-length": String(end - start),
          "content-range": `${start}-${end - 1}`,
        },
        body: () => content.open(start, end),
        once: true,
      });
      at = new URL(answer.header("location") ?? at, answer.url).href;
      return answer;
    });
    if (failure) return failure;
  }
  return judge(connection, content, 201, () =>
    connection.send({ method: "PUT", to: withDigest(at, digest), headers: { "content-length": "0" }, once: true }),
  );
}

/** Bytes that the registry has of an upload; none, where it does not say or has forgotten it. */
async function receivedOf(connection: Connection, location: string): Promise<number> {
  const answer = await connection.send({ method: "GET", to: location, once: true }).catch(() => undefined);
  await answer?.body.dump();
  if (answer?.status !== 204) return 0;
  const last = /^(?:bytes=)?0-(\d+)$/.exec(answer.header("range") ?? "")?.[1];
  // An upload of which nothing has come, and one of one byte, look alike.
  return last === undefined || last === "0" ? 0 : Number(last) + 1;
}

async function judge(
  { repository }: Connection,
  { descriptor: { digest, size } }: Content,
  wanted: number,
  send: () => Promise<Answer>,
): Promise<Failure | undefined> {
  const name = `${digest} (${size} bytes) for ${repositoryName(repository)}`;
  try {
    const answer = await send();
    if (answer.status === wanted) {
      await answer.body.dump();
      return undefined;
    }
    const complaint = new UserError(`The registry has not taken ${name}: ${await reasonOf(answer)}.`);
    const tooMuch = answer.status === 413;
    // A registry that has lost the upload, or does not like pieces, may like a new one.
    const worthATry = tooMuch || isTransient(answer.status) || answer.status === 404 || answer.status === 416;
    return { complaint, final: !worthATry, cut: false, tooMuch };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    const complaint = new UserError(`The upload of ${name} was cut short: ${message || code}.`, { cause: error });
    return { complaint, final: false, cut: true, tooMuch: false };
  }
}

/** The registry's address may have a query already, which is part of what it knows the upload by. */
function withDigest(location: string, digest: string): string {
  const url = new URL(location);
  url.searchParams.set("digest", digest);
  return url.href;
}
