import { ApiError } from "../../shared/kubernetes/api-error.ts";

/** The error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<ApiError> {
  const answer = await call.catch((error: unknown) => error);
  if (answer instanceof ApiError) return answer;
  if (answer instanceof Error) throw answer;
  throw new Error(`The call should have failed, and answered ${JSON.stringify(answer)}`);
}
