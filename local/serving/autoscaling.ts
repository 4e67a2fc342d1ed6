import { readGoDuration } from "../../shared/kubernetes/go-duration.ts";

/** How many instances a revision has, and when; from its `autoscaling.knative.dev/` annotations. */
export interface Scale {
  readonly min: number;
  /** 0: as many as the host allows. */
  readonly max: number;
  /** Milliseconds without a request after which an instance goes. */
  readonly window: number;
}

const prefix = "autoscaling.knative.dev/";

/**
 * Reads the annotations of a revision template, with the defaults of Knative's `config-autoscaler`.
 *
 * @throws Error with a sentence for the first annotation that is not obeyed or has no usable value.
 */
export function readScale(annotations: Readonly<Record<string, string>>): Scale {
  const read: Record<string, number> = {};
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(prefix)) continue;
    const name = key.slice(prefix.length);
    const reader = readers[name];
    if (!reader)
      throw new Error(`The annotation ${key} is not obeyed here. Obeyed are: ${Object.keys(readers).join(", ")}.`);
    const number = reader.read(value);
    if (number === undefined)
      throw new Error(`The annotation ${key} is ${JSON.stringify(value)}: expected ${reader.expected}.`);
    read[name] = number;
  }
  return { min: read["min-scale"] ?? 0, max: read["max-scale"] ?? 0, window: read.window ?? 60_000 };
}

interface Reader {
  readonly expected: string;
  read(text: string): number | undefined;
}

const count: Reader = {
  expected: "a whole number, 0 or more",
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

const readers: Readonly<Record<string, Reader>> = {
  "min-scale": count,
  "max-scale": count,
  window: {
    expected: "a duration from 6s to 1h",
    read(text) {
      const ms = readGoDuration(text);
      return ms !== undefined && ms >= 6000 && ms <= 3_600_000 ? ms : undefined;
    },
  },
};
