import { expect, test } from "vitest";
import { selfSubjectReview } from "./allowed-request.ts";
import { askApiServer } from "./ask-api-server.ts";

test.each([
  ["GET", "/api/v1/pods", "The API server cannot be reached. The console tries again by itself."],
  ["POST", selfSubjectReview, "The API server cannot be reached. The console tries again by itself."],
  ["PATCH", "/api/v1/persistentvolumes/pv-1", "The API server cannot be reached."],
] as const)("only a question is said to be asked again: %s %s", async (method, path, message) => {
  const away = () => Promise.reject(new Error("connect ECONNREFUSED"));
  const asked = askApiServer(away, { method, path, headers: {}, isWatch: false }, new AbortController().signal);
  await expect(asked).rejects.toMatchObject({ status: 502, message });
});
