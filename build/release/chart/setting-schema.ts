import type { Setting } from "../../manifests/settings.ts";

/**
 * What a setting may be in values, by its declaration. An empty value is the default, as it is to a function, and
 * everything may be written as a string.
 */
export function settingSchema({ values, description, form = {} }: Setting): object {
  const { type = "", format, maxLength, minimum, exclusiveMinimum, maximum } = form;
  const isNumber = type === "integer" || type === "number";
  // A URL has a scheme.
  const own = form.pattern ?? (format === "uri" ? "^[A-Za-z][-+.A-Za-z0-9]*:" : undefined);
  const numbers = type === "integer" ? wholeNumbers(minimum, maximum) : "[0-9]*\\.?[0-9]*";
  const pattern = isNumber ? `^(${numbers})?$` : own && `^$|${own}`;
  const mayBeNumber = !pattern || new RegExp(pattern).test("1");
  const flags = values?.filter((one) => one === "true" || one === "false").map((one) => one === "true") ?? [];
  return {
    type: isNumber ? ["string", type] : ["string", ...(mayBeNumber ? ["number"] : []), ...(pattern ? [] : ["boolean"])],
    description,
    ...(values ? { enum: ["", ...values, ...flags] } : {}),
    // What is undefined does not come into the file.
    ...{ pattern, maxLength, minimum, exclusiveMinimum, maximum },
  };
}

/** The whole numbers from 0 or more up to another, in digits, as a pattern. */
export function wholeNumbers(from = 0, to = Number.MAX_SAFE_INTEGER): string {
  if (to === Number.MAX_SAFE_INTEGER) return wholeNumbers(from, 999_999_999_999_999);
  const parts: string[] = [];
  for (let next = from; next <= to; ) {
    // The largest round numbers that fit: of 120 to 1999 these are 12x to 19x, and then 1xxx.
    let zeros = 0;
    while (next > 0 && next % 10 ** (zeros + 1) === 0 && next + 10 ** (zeros + 1) - 1 <= to) zeros++;
    const first = next / 10 ** zeros;
    const last = Math.min(first - (first % 10) + 9, Math.floor((to + 1) / 10 ** zeros) - 1);
    const head = first < 10 ? "" : Math.floor(first / 10);
    parts.push(`${head}[${first % 10}-${last % 10}]${zeros > 0 ? `[0-9]{${zeros}}` : ""}`);
    next = (last + 1) * 10 ** zeros;
  }
  return parts.join("|");
}
