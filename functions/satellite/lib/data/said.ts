import type { DataFacts } from "./data-facts.ts";

/** What LINSTOR warned of when it was called, as a sentence to go on with; empty when nothing. */
export const said = ({ warnings }: Pick<DataFacts, "warnings">): string =>
  warnings.length > 0 ? ` LINSTOR says: ${warnings.join(" ")}` : "";
