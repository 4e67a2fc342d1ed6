import { UserError } from "../../shared/command/user-error.ts";

/**
 * What CHANGELOG.md says of a version. A release has no changes that its notes leave out: what is unreleased is part
 * of the notes of a trial alone, and comes first.
 *
 * @throws UserError where it says nothing, or where a release that is no trial has unreleased changes
 */
export function releaseNotes(changelog: string, version: string, isTrial = false): string {
  const sections = changelog.split(/^## /m).slice(1);
  const textOf = (heading: string) => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`) || text.startsWith(`${heading} `));
    return section?.slice(section.indexOf("\n")).trim();
  };
  const text = textOf(version);
  if (!text) throw new UserError(`CHANGELOG.md has no section "## ${version}" with what has changed.`);
  const unreleased = textOf("Unreleased");
  if (unreleased && !isTrial)
    throw new UserError(
      'CHANGELOG.md has lines under "## Unreleased": raise the version in package.json and move them under its ' +
        "heading, or say --trial.",
    );
  const first = unreleased ? `## Unreleased\n\n${unreleased}\n\n## ${version}\n\n` : "";
  return `# Holdfast ${version}\n\n${first}${text}\n`;
}
