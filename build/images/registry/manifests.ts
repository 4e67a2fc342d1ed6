import { UserError } from "../../../shared/command/user-error.ts";
import { bytesOf, type Content, contentOf } from "../oci/content.ts";
import { digestOf } from "../oci/descriptor.ts";
import { repositoryName } from "../oci/reference.ts";
import { reasonOf } from "./explain.ts";
import type { Connection } from "./registry.ts";

/**
 * Puts a manifest or an index into a repository, under its digest or under a tag. What it names must be there.
 *
 * Returns whether the registry has seen that the manifest is about another, so that it can tell who asks about that.
 *
 * @throws UserError when the registry refuses it
 */
export async function putManifest({ repository, send }: Connection, manifest: Content, tag?: string): Promise<boolean> {
  const { digest, mediaType, size } = manifest.descriptor;
  const answer = await send({
    method: "PUT",
    to: `manifests/${tag ?? digest}`,
    headers: { "content-type": mediaType, "content-length": String(size) },
    body: () => manifest.open(),
  });
  if (answer.status !== 201 && answer.status !== 202) {
    const name = `${repositoryName(repository)}${tag ? `:${tag}` : `@${digest}`}`;
    throw new UserError(`The registry has not taken the manifest ${name}: ${await reasonOf(answer)}.`);
  }
  await answer.body.dump();
  return answer.header("oci-subject") !== undefined;
}

/** Whether a repository has a manifest under a digest. */
export async function hasManifest({ send }: Connection, { descriptor }: Content): Promise<boolean> {
  const { digest, mediaType } = descriptor;
  const answer = await send({ method: "HEAD", to: `manifests/${digest}`, headers: { accept: mediaType } });
  await answer.body.dump();
  return answer.status === 200;
}

/**
 * The manifest or index of a tag or digest; nothing when there is none. Registries have been seen to answer with
 * another than was asked for, so a digest is checked.
 *
 * @throws UserError
 */
export async function getManifest(
  { repository, send }: Connection,
  reference: string,
  accepted: readonly string[],
): Promise<Content | undefined> {
  const answer = await send({ method: "GET", to: `manifests/${reference}`, headers: { accept: accepted.join(", ") } });
  if (answer.status === 404) {
    await answer.body.dump();
    return undefined;
  }
  const name = `${repositoryName(repository)}${reference.includes(":") ? "@" : ":"}${reference}`;
  if (answer.status !== 200) throw new UserError(`The registry does not give ${name}: ${await reasonOf(answer)}.`);
  const bytes = Buffer.concat(await answer.body.toArray());
  const content = contentOf(bytes, answer.header("content-type")?.split(";")[0] ?? "");
  if (reference.includes(":") && digestOf(bytes) !== reference)
    throw new UserError(`The registry has given something else for ${name}.`);
  return content;
}

/** An index of a repository, as it stands under a tag. */
export async function getIndex<T>(connection: Connection, tag: string, mediaType: string): Promise<T | undefined> {
  const content = await getManifest(connection, tag, [mediaType]);
  return content && (JSON.parse((await bytesOf(content)).toString()) as T);
}
