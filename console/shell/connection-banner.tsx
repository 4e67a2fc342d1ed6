import { Banner } from "@patternfly/react-core";
import { useBroken } from "../api/connection.ts";

/** Says that what is shown may be old, and that it is being asked for again. */
export function ConnectionBanner() {
  const broken = useBroken();
  return (
    <div role="status" aria-live="polite">
      {broken.size > 0 && (
        <Banner color="orange">Reconnecting: {[...broken].sort().join(", ")} may be out of date.</Banner>
      )}
    </div>
  );
}
