import { expect, test } from "vitest";
import { measureEviction } from "./measure.ts";

test("while a hundred servers move, Nova gets fewer than three requests a minute for each of them", async () => {
  const traffic = await measureEviction(100, 5000);
  expect(traffic).toMatchObject({ moved: 100, twice: 0 });
  expect(traffic.busiest).toBeLessThan(3 * 100);
});
