import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** The parameters of the address, and how to change some of them; `undefined` takes one out. */
export function useAddress() {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) =>
      setParameters(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value === undefined) next.delete(name);
            else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return [parameters, set] as const;
}
