import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Pod } from "../../shared/storage/pod-claims.ts";
import { PodOnNode } from "./object-link.tsx";

const metadata = { namespace: "shop", name: "web-0" };
const shown = (spec: Pod["spec"]) =>
  renderToStaticMarkup(createElement(PodOnNode, { pod: { metadata, spec } as unknown as Pod }));

test("a pod is shown with its node, and before it has one without a link that leads nowhere", () => {
  const pod = '<a href="/object/Pod/shop/web-0">web-0</a>';
  expect(shown({ nodeName: "node-1" })).toBe(`${pod} on <a href="/object/Node/_/node-1">node-1</a>`);
  expect(shown({})).toBe(pod);
});
