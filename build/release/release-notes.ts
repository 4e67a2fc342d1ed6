import { UserError } from "../../shared/command/user-error.ts";

/** What CHANGELOG.md says of a version. @throws UserError where it says nothing */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version}\n`) || text.startsWith(`${version} `));
  const text = section?.slice(section.indexOf("\n")).trim();
  if (!text) throw new UserError(`CHANGELOG.md has no section "## ${version}" with what has changed.`);
  return `# Holdfast ${version}\n\n${text}\n`;
}
