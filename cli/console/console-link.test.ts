import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { linkTo, withConsole } from "./console-link.ts";

afterEach(() => void vi.unstubAllEnvs());

const read = (...args: readonly string[]) =>
  withConsole(new Command("explain")).parse(args, { from: "user" }).opts<{ console?: string }>().console;

test("the address of the console comes from its option, or from the environment, without a secret", () => {
  expect(read()).toBeUndefined();
  vi.stubEnv("HOLDFAST_CONSOLE", "http://127.0.0.1:8080/open/secret");
  expect(read()).toBe("http://127.0.0.1:8080");
  expect(read("--console", "https://console.example/")).toBe("https://console.example");
  vi.stubEnv("HOLDFAST_CONSOLE", "");
  expect(linkTo(read(), PersistentVolumeClaim, { name: "data" })).toBeUndefined();
  for (const text of ["127.0.0.1:8080", "file:///etc/passwd", "console"])
    expect(() => read("--console", text)).toThrow("needs the address of the console");
});

test("a link leads to the page of an object, whose name stands for nothing else in it", () => {
  const claim = { namespace: "shop", name: "a b/../c" };
  expect(linkTo("https://console.example", PersistentVolumeClaim, claim)).toBe(
    "https://console.example/object/PersistentVolumeClaim/shop/a%20b%2F..%2Fc",
  );
  const other = { ...PersistentVolumeClaim, apiVersion: "example.com/v1" };
  expect(linkTo("https://console.example", other, claim)).toBeUndefined();
  expect(linkTo(undefined, PersistentVolumeClaim, claim)).toBeUndefined();
});
