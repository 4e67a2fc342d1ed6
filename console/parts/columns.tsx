import type { Named } from "../../functions/platform/lib/console/object-page.ts";
import { Age } from "./age.tsx";
import { Breakable } from "./breakable.tsx";
import { nameOf, ObjectLink } from "./object-link.tsx";
import type { Column } from "./object-table.tsx";
import { State, type Tone } from "./state.tsx";

/** Objects as links; `otherwise` stands where there is none. */
export const linkColumn = <O,>(
  title: string,
  of: (one: O) => Named | undefined,
  { otherwise = "-", text = nameOf }: { readonly otherwise?: string; readonly text?: (to: Named) => string } = {},
): Column<O> => ({
  title,
  value: (one) => {
    const to = of(one);
    return to && text(to);
  },
  cell: (one) => {
    const to = of(one);
    return to ? (
      <ObjectLink to={to}>
        <Breakable text={text(to)} />
      </ObjectLink>
    ) : (
      otherwise
    );
  },
});

/** An object with its kind, for lists of several kinds. */
export const withKind = (to: Named): string => `${to.kind} ${nameOf(to)}`;

/** Times, RFC 3339. */
export const ageColumn = <O,>(title: string, of: (one: O) => string | undefined): Column<O> => ({
  title,
  value: of,
  cell: (one) => <Age at={of(one)} />,
});

/** What a state column shows of an object: a word with its tone, and what is said of it. */
interface Shown {
  readonly word: string | undefined;
  readonly tone: Tone;
  readonly says?: string | undefined;
}

/** States, each with its reason; `-` where there is none. */
export const stateColumn = <O,>(
  title: string,
  of: (one: O) => Shown | undefined,
  width?: Column<O>["width"],
): Column<O> => ({
  title,
  ...(width ? { width } : {}),
  value: (one) => {
    const { word, says } = of(one) ?? {};
    return [word, says].filter(Boolean).join(" ") || undefined;
  },
  cell: (one) => {
    const { word, tone = "plain", says } = of(one) ?? {};
    if (!word && !says) return "-";
    return (
      <>
        {word && <State tone={tone}>{word}</State>} {says}
      </>
    );
  },
});
