import type { Plane } from "../plane/boot.ts";

/** Requests for lists of pods that the API server has answered since it started; each page of a list is one. */
export async function podLists({ transport }: Plane): Promise<number> {
  const { body } = await transport({ method: "GET", path: "/metrics", headers: {} });
  let text = "";
  for await (const chunk of body) text += chunk;
  return text
    .split("\n")
    .filter((line) => line.startsWith("apiserver_request_total{"))
    .filter((line) => line.includes('resource="pods"') && line.includes('verb="LIST"'))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
