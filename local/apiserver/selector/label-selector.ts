import {
  type LabelPredicate,
  LabelSelectorError,
  parseLabelSelector as parse,
} from "../../../shared/kubernetes/parse-label-selector.ts";
import { badRequest } from "../failure.ts";
import { labelValueProblems, qualifiedNameProblems } from "../validation/names.ts";

/** Reads the text of a `labelSelector` parameter. Throws 400 with the wording of the API server. */
export function parseLabelSelector(text: string): LabelPredicate {
  try {
    return parse(text, { key: (key) => qualifiedNameProblems(key)[0], value: (value) => labelValueProblems(value)[0] });
  } catch (error) {
    throw error instanceof LabelSelectorError ? badRequest(error.message) : error;
  }
}
