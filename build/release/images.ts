import { readFileSync } from "node:fs";
import { UserError } from "../../shared/command/user-error.ts";
import { produce } from "../images/produce.ts";
import type { Progress } from "../images/progress.ts";
import type { ReleaseOptions } from "./options.ts";

/** Where images are: beneath HOST/PATH, each by its digest. */
export interface ReleasedImages {
  readonly repository: string;
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * The images of a release, from a file or from a registry to which they are pushed.
 *
 * @throws UserError where one is missing, or where they do not lie beside each other
 */
export async function imagesOf(
  { images, build }: Pick<ReleaseOptions, "images" | "build">,
  names: readonly string[],
  progress: Progress,
  environment: NodeJS.ProcessEnv,
): Promise<ReleasedImages> {
  if ("file" in images) return readImages(readFileOf(images.file), names, images.file);
  const pushed = await produce(names, build, { push: images.push }, progress, environment);
  return readImages([...pushed.values()].join("\n"), names, "What was pushed");
}

/** Reads `HOST/PATH/<system>/<function>@sha256:…`, one a line. @throws UserError */
function readImages(text: string, names: readonly string[], origin: string): ReleasedImages {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const repositories = new Set<string>();
  const digests = new Map<string, string>();
  for (const line of lines) {
    const [, repository, name, digest] = /^(\S+)\/([^/\s]+\/[^/\s]+)@(sha256:[0-9a-f]{64})\s*$/.exec(line) ?? [];
    if (!repository || !name || !digest)
      throw new UserError(`${origin}: ${JSON.stringify(line)} is no HOST/PATH/SYSTEM/FUNCTION@sha256:DIGEST.`);
    repositories.add(repository);
    digests.set(name, digest);
  }
  const missing = names.filter((name) => !digests.has(name));
  if (missing.length > 0) throw new UserError(`${origin} has no image of ${missing.join(", ")}.`);
  const [repository = "", ...others] = repositories;
  if (others.length > 0)
    throw new UserError(`${origin} has images beneath ${[...repositories].join(" and ")}; the chart takes one place.`);
  return { repository, digests: new Map(names.map((name) => [name, digests.get(name) as string])) };
}

function readFileOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`The names of images cannot be read: ${(error as Error).message}`);
  }
}
