import { expect, test } from "vitest";
import { grantFor } from "./account-request.ts";

test.each([
  ["GET", "/api/v1/pods?limit=500", "list /pods"],
  ["GET", "/api/v1/namespaces/shop/pods?limit=500&continue=x", "list /pods"],
  ["GET", "/api/v1/pods?watch=true&resourceVersion=1", "watch /pods"],
  ["GET", "/api/v1/namespaces/shop/persistentvolumeclaims/data", "get /persistentvolumeclaims"],
  ["PATCH", "/api/v1/namespaces/shop/persistentvolumeclaims/data", "patch /persistentvolumeclaims"],
  ["PATCH", "/apis/apps/v1/namespaces/shop/statefulsets/db/status", "patch apps/statefulsets/status"],
  ["POST", "/apis/events.k8s.io/v1/namespaces/shop/events", "create events.k8s.io/events"],
  ["DELETE", "/apis/events.k8s.io/v1/namespaces/shop/events/x", "delete events.k8s.io/events"],
  ["PUT", "/api/v1/nodes/n0", "update /nodes"],
  ["GET", "/api/v1/namespaces/shop", "get /namespaces"],
  ["GET", "/api/v1/namespaces", "list /namespaces"],
  ["POST", "/api/v1/namespaces/holdfast/serviceaccounts/a/token", "create /serviceaccounts/token"],
  ["GET", "/apis", undefined],
  ["GET", "/apis/apps/v1", undefined],
  ["GET", "/openid/v1/jwks", undefined],
])("%s %s takes the right %s", (method, path, grant) => expect(grantFor(method, path)).toBe(grant));
