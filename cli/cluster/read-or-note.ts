import { ApiError } from "../../shared/kubernetes/api-error.ts";

/**
 * Reads something. Where the API server refuses, why goes to `gaps`: what may not be read is not absent.
 *
 * @throws ApiError where there is no answer at all.
 */
export async function readOrNote<T>(gaps: string[], what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    gaps.push(`${what} could not be read: ${inShort(error)}`);
    return undefined;
  }
}

/** Of a right that lacks, its verb and resource are enough. */
function inShort({ status, message }: ApiError): string {
  const [, verb, resource, place = ""] =
    /cannot (\w+) resource "([^"]+)".*?( in the namespace "[^"]+")?\.?$/.exec(message) ?? [];
  return status === 403 && verb ? `you may not ${verb} ${resource}${place}.` : message;
}
