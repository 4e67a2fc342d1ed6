import { expect, test } from "vitest";
import { UserError } from "../../shared/command/user-error.ts";
import { releaseNotes } from "./release-notes.ts";

const changelog = (unreleased: string) =>
  `# Changelog\n\nWords.\n\n${unreleased}## 0.2.0\n\n- It has this.\n\n## 0.1.0\n\n- It had that.\n`;
const open = changelog("## Unreleased\n\n- **You must** do this.\n\n");

test.each([
  ["no such heading", ""],
  ["nothing below it", "## Unreleased\n\n"],
])("the notes are what the changelog says of the version, where what is unreleased has %s", (_, unreleased) => {
  const notes = "# Holdfast 0.2.0\n\n- It has this.\n";
  expect(releaseNotes(changelog(unreleased), "0.2.0")).toBe(notes);
  expect(releaseNotes(changelog(unreleased), "0.2.0", true)).toBe(notes);
});

test("a release whose notes would leave out unreleased changes is refused with what to do", () => {
  expect(() => releaseNotes(open, "0.2.0")).toThrow(UserError);
  expect(() => releaseNotes(open, "0.2.0")).toThrow(
    / raise the version in package\.json and move them under its heading, or say --trial\.$/,
  );
});

test("the notes of a trial begin with what is unreleased", () => {
  expect(releaseNotes(open, "0.2.0", true)).toBe(
    "# Holdfast 0.2.0\n\n## Unreleased\n\n- **You must** do this.\n\n## 0.2.0\n\n- It has this.\n",
  );
});

test("a version without a section is refused", () =>
  expect(() => releaseNotes(open, "0.3.0", true)).toThrow('CHANGELOG.md has no section "## 0.3.0"'));
