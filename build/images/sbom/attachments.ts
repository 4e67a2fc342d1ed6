import type { Image } from "../oci/image.ts";
export async function attachmentsOf(_: unknown): Promise<readonly Image[]> {
  return [];
}
