import { Banner } from "@patternfly/react-core";
import { useOutdated } from "../api/connection.ts";

/** Says that what is shown may be old, and whether it is being asked for again. */
export function ConnectionBanner() {
  const outdated = [...useOutdated().values()];
  const namesOf = (because: string) =>
    [...new Set(outdated.flatMap((one) => (one.because === because ? [one.name] : [])))].sort().join(", ");
  const [away, unwatched] = [namesOf("away"), namesOf("unwatched")];
  return (
    <div role="status" aria-live="polite">
      {away && <Banner color="orange">Reconnecting: {away} may be out of date.</Banner>}
      {unwatched && (
        <Banner color="orange">
          You cannot watch {unwatched}, which may be out of date. Open the page again to see changes.
        </Banner>
      )}
    </div>
  );
}
