import type { Named } from "../../functions/platform/lib/console/object-page.ts";
import { Age } from "./age.tsx";
import { nameOf, ObjectLink } from "./object-link.tsx";
import type { Column } from "./object-table.tsx";

/** Objects as links; `otherwise` stands where there is none. */
export const linkColumn = <O,>(title: string, of: (one: O) => Named | undefined, otherwise = "-"): Column<O> => ({
  title,
  value: (one) => {
    const to = of(one);
    return to && nameOf(to);
  },
  cell: (one) => {
    const to = of(one);
    return to ? <ObjectLink to={to} /> : otherwise;
  },
});

/** Times, RFC 3339. */
export const ageColumn = <O,>(title: string, of: (one: O) => string | undefined): Column<O> => ({
  title,
  value: of,
  cell: (one) => <Age at={of(one)} />,
});
