import { Label } from "@patternfly/react-core";

/** How a state is to be taken: what calls for a person is red, what goes on by itself is not. */
export type Tone = "good" | "busy" | "warning" | "bad" | "plain";

const colors = { good: "green", busy: "blue", warning: "orange", bad: "red", plain: "grey" } as const;

/** A state in one word. Its colour says nothing that the word does not. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: React.ReactNode }) {
  return (
    <Label isCompact color={colors[tone]}>
      {children}
    </Label>
  );
}
