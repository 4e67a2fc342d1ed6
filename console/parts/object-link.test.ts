import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Router } from "wouter";
import type { Pod } from "../../shared/storage/pod-claims.ts";
import { PodOnNode } from "./object-link.tsx";

const metadata = { namespace: "shop", name: "web-0" };
function shown(spec: Pod["spec"]): string {
  const children = createElement(PodOnNode, { pod: { metadata, spec } as unknown as Pod });
  return renderToStaticMarkup(createElement(Router, { ssrPath: "/", children }));
}

test("a pod is shown with its node, and before it has one without a link that leads nowhere", () => {
  const pod = '<a href="/object/Pod/shop/web-0">web-0</a>';
  expect(shown({ nodeName: "node-1" })).toBe(`${pod} on <a href="/object/Node/_/node-1">node-1</a>`);
  expect(shown({})).toBe(pod);
});
