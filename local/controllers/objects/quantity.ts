import { quantityValue } from "../../quantity.ts";

/** A Kubernetes quantity (`1Gi`, `500M`, `0.5`, `1e3`) as a number; 0 when absent or unreadable. */
export const quantity = (text: string | number | undefined): number => quantityValue(text) || 0;
