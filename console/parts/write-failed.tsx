import { Alert } from "@patternfly/react-core";
import type { Failure } from "../api/write.ts";

interface WriteFailedProps {
  readonly failure: Failure;
  /** What has succeeded before it. */
  readonly before?: React.ReactNode;
}

/** Says that a write was refused, or that its outcome is not known. */
export function WriteFailed({ failure: { title, message, advice }, before }: WriteFailedProps) {
  return (
    <Alert variant={advice ? "warning" : "danger"} isInline title={title} component="h2">
      {before}
      {message} {advice}
    </Alert>
  );
}
