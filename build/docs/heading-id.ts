/** The anchor of a heading, as GitHub makes it of its text, so that one link works there and in the site. */
export const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
