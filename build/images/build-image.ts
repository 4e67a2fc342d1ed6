import { functionEnvironment } from "../functions/environment.mjs";
import type { BaseImage } from "./base/base.ts";
import { functionFolder } from "./function/function-layer.ts";
import type { Layer } from "./layer/layer.ts";
import { jsonContent } from "./oci/content.ts";
import { mediaTypes } from "./oci/descriptor.ts";
import type { Image } from "./oci/image.ts";
import { nodePath } from "./runtime/runtime-layer.ts";

/** The user that distroless images call nonroot; a number, so that Kubernetes can see that it is not root. */
const user = "65532:65532";

/**
 * Puts layers upon a base: what runs as a user who may write nothing in it, and needs nothing but what is in it.
 * `created` is a time as ISO 8601 has it.
 */
export function buildImage(
  base: BaseImage,
  layers: readonly Layer[],
  annotations: Readonly<Record<string, string>>,
  created: string,
): Image {
  const { platform, config } = base;
  const own = Object.entries(functionEnvironment);
  const environment = (config.config?.Env ?? []).filter(
    (variable) => !["PATH", ...own.map(([name]) => name)].includes(variable.split("=")[0] ?? ""),
  );
  const path = config.config?.Env?.find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length);
  const content = jsonContent(
    {
      created,
      ...platform,
      config: {
        User: user,
        ExposedPorts: { "8080/tcp": {} },
        Env: [
          `PATH=${[nodePath.replace(/\/node$/, ""), ...(path ? [path] : [])].join(":")}`,
          ...own.map(([name, value]) => `${name}=${value}`),
          ...environment,
        ],
        Entrypoint: [nodePath, `${functionFolder}/index.mjs`],
        WorkingDir: "/",
        Labels: annotations,
      },
      rootfs: { type: "layers", diff_ids: [...config.rootfs.diff_ids, ...layers.map(({ diffId }) => diffId)] },
      history: [
        ...(config.history ?? config.rootfs.diff_ids.map(() => ({ created, created_by: "base" }))),
        ...layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
      ],
    },
    mediaTypes.config,
  );
  const contents = [...base.layers, ...layers.map((layer) => layer.content)];
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: content.descriptor,
    layers: contents.map(({ descriptor }) => descriptor),
    annotations,
  };
  return { manifest: jsonContent(manifest, mediaTypes.manifest, { platform }), blobs: [...contents, content] };
}
