import { issueToken } from "../auth/service-account-token.ts";
import { invalid } from "../failure.ts";
import { specOf } from "../kinds/fields.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import { resource } from "../resource.ts";
import { type State, timestampAt } from "../state.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { live } from "../verbs/get.ts";

const tokenRequest = resource("authentication.k8s.io/v1", "TokenRequest", "tokenrequests");
const shortest = 600;

/** POST to `serviceaccounts/token`: a bearer token for the service account, good for an hour unless asked otherwise. */
export function requestToken(state: State, call: ObjectCall): Answer {
  const request = readObject(call, tokenRequest);
  const { expirationSeconds = 3600, audiences, boundObjectRef = null } = specOf(request);
  const seconds = Number(expirationSeconds);
  if (seconds < shortest) {
    const why = "may not specify a duration less than 10 minutes";
    throw invalid(tokenRequest, "", [invalidValue("spec.expirationSeconds", seconds, why)]);
  }
  const account = live(state, call);
  const wanted = Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : undefined;
  const { token, audience, expires } = issueToken(state, account.object, seconds, wanted);
  const { namespace, uid, creationTimestamp } = account.object.metadata;
  const object = {
    kind: tokenRequest.kind,
    apiVersion: tokenRequest.apiVersion,
    metadata: { name: call.name, namespace, uid, creationTimestamp },
    spec: { audiences: audience, expirationSeconds: seconds, boundObjectRef },
    status: { token, expirationTimestamp: timestampAt(expires) },
  };
  return { type: "object", status: 201, object };
}
