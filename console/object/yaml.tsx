import { ClipboardCopyButton, Content } from "@patternfly/react-core";
import { stringify } from "yaml";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** The object as kubectl shows it, without the bookkeeping of field managers. */
export default function Yaml({ object }: { readonly object: KubernetesObject }) {
  const { managedFields: _, ...metadata } = object.metadata;
  const text = stringify({ ...object, metadata });
  return (
    <>
      <Content component="p">
        metadata.managedFields is left out.{" "}
        <ClipboardCopyButton
          id="copy-yaml"
          textId="yaml"
          aria-label="Copy the YAML"
          onClick={() => void navigator.clipboard.writeText(text)}
        >
          Copy the YAML
        </ClipboardCopyButton>
      </Content>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <pre id="yaml" className="hf-yaml" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}
