import { expect, test } from "vitest";
import { externalRoot, settingRoot } from "./address.ts";

test.each([
  ["http://linstor:3370", "http://linstor:3370"],
  ["http://linstor:3370/", "http://linstor:3370"],
  ["http://LINSTOR.Example.com:3370//", "http://linstor.example.com:3370"],
  ["http://linstor", "http://linstor:3370"],
  ["https://linstor", "https://linstor:3371"],
  ["https://linstor/", "https://linstor:3371"],
  ["https://linstor:443", "https://linstor:443"],
  ["http://linstor:80/", "http://linstor:80"],
  ["HTTP://linstor:03370/", "http://linstor:3370"],
  [" https://linstor:443 ", "https://linstor:443"],
  ["https://proxy/linstor/", "https://proxy:3371/linstor"],
  ["http://[FD00::1]:3370", "http://[fd00::1]:3370"],
  ["http://[fd00::1]", "http://[fd00::1]:3370"],
  ["http://192.0.2.1", "http://192.0.2.1:3370"],
])("an external controller at %j is asked at %s", (text, root) => {
  expect(externalRoot(text)).toBe(root);
});

test.each([
  "",
  "linstor",
  "linstor:3370",
  "linstor://linstor",
  "ftp://linstor",
  "http://",
  "http://one,http://other",
  "http://one,other",
  "http://somebody:secret@linstor",
  "http://linstor?database=1",
  "http://linstor#1",
  "http://linstor:70000",
])("%j is no address", (text) => {
  expect(externalRoot(text)).toBeUndefined();
});

test("without a port LINSTOR_URL is what HTTP says, as it is called", () => {
  expect(settingRoot("http://linstor/")).toBe("http://linstor:80");
  expect(settingRoot("https://linstor")).toBe("https://linstor:443");
  expect(settingRoot("https://somebody:secret@linstor:3371/")).toBe("https://linstor:3371");
  expect(settingRoot("http://linstor:3370")).toBe(externalRoot("http://linstor"));
});
