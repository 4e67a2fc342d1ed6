import { readGoDuration } from "../../shared/kubernetes/go-duration.ts";

/** How many instances a revision has, and when; from its `autoscaling.knative.dev/` annotations. */
export interface Scale {
  readonly min: number;
  /** 0: as many as the host allows. */
  readonly max: number;
  /** Instances a new revision must get ready before it takes traffic; absent: the host's default. */
  readonly initial?: number;
  /** Requests at once that one instance is meant to have; absent: `containerConcurrency`, or 100 where that is 0. */
  readonly target?: number;
  /** Milliseconds without a request after which an instance goes. */
  readonly window: number;
  /** Milliseconds that the last instance stays beyond the window. */
  readonly retention: number;
  /**
   * Spare concurrency below which requests wait in the activator, which holds many, and not at the instance, which
   * holds ten times its concurrency. -1: always in the activator; 0: only while there is no instance.
   */
  readonly burst: number;
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
  const { "initial-scale": initial, target } = read;
  return {
    min: read["min-scale"] ?? 0,
    max: read["max-scale"] ?? 0,
    window: read.window ?? 60_000,
    retention: read["scale-to-zero-pod-retention-period"] ?? 0,
    burst: read["target-burst-capacity"] ?? 211,
    ...(initial === undefined ? {} : { initial }),
    ...(target === undefined ? {} : { target }),
  };
}

interface Reader {
  readonly expected: string;
  read(text: string): number | undefined;
}

const count: Reader = {
  expected: "a whole number, 0 or more",
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};
const duration = (least: number, most: number, expected: string): Reader => ({
  expected,
  read: (text) => {
    const ms = readGoDuration(text);
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined;
  },
});
const only = (value: string): Reader => ({ expected: value, read: (text) => (text === value ? 0 : undefined) });

const readers: Readonly<Record<string, Reader>> = {
  class: only("kpa.autoscaling.knative.dev"),
  metric: only("concurrency"),
  "min-scale": count,
  "max-scale": count,
  "initial-scale": count,
  target: { expected: "a number of 0.01 or more", read: (text) => (Number(text) >= 0.01 ? Number(text) : undefined) },
  window: duration(6000, 3_600_000, "a duration from 6s to 1h"),
  "scale-to-zero-pod-retention-period": duration(0, 3_600_000, "a duration from 0s to 1h"),
  "target-burst-capacity": {
    expected: "a number of 0 or more, or -1",
    read: (text) => (text.trim() !== "" && (Number(text) >= 0 || Number(text) === -1) ? Number(text) : undefined),
  },
};
