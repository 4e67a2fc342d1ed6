import { toBoolean, toInteger, toText } from "./cast.ts";
import { CesqlError, type Value } from "./expression.ts";

type Parameter = "any" | "text" | "integer";

interface BuiltIn {
  parameters: Parameter[];
  /** The type of any number of further arguments. */
  rest?: Parameter;
  run(...values: never[]): Value;
}

const castable = (value: Value, cast: (value: Value) => Value) => {
  try {
    cast(value);
    return true;
  } catch {
    return false;
  }
};

const failed = (message: string) => new CesqlError("functionEvaluation", message);

function ends(name: "LEFT" | "RIGHT", text: string, length: number): string {
  if (length < 0) throw failed(`${name} was asked for ${length} characters.`);
  return name === "LEFT" ? text.slice(0, length) : text.slice(Math.max(0, text.length - length));
}

/** Positions count from 1, negative ones from the end; position 0 gives nothing. */
function substring(text: string, position: number, length = text.length): string {
  if (position === 0) return "";
  if (Math.abs(position) > text.length) throw failed(`SUBSTRING was asked for position ${position} of ${text.length}.`);
  if (length < 0) throw failed(`SUBSTRING was asked for ${length} characters.`);
  const start = position < 0 ? text.length + position : position - 1;
  return text.slice(start, start + length);
}

function absolute(value: number): number {
  if (value === -(2 ** 31)) throw new CesqlError("math", "ABS overflowed.");
  return Math.abs(value);
}

/** The built-in functions of CESQL 1.0, by name; overloads differ in how many arguments they take. */
const builtIns: Record<string, BuiltIn[]> = {
  INT: [{ parameters: ["any"], run: (value: Value) => toInteger(value) }],
  BOOL: [{ parameters: ["any"], run: (value: Value) => toBoolean(value) }],
  STRING: [{ parameters: ["any"], run: (value: Value) => toText(value) }],
  IS_INT: [{ parameters: ["any"], run: (value: Value) => castable(value, toInteger) }],
  IS_BOOL: [{ parameters: ["any"], run: (value: Value) => castable(value, toBoolean) }],
  ABS: [{ parameters: ["integer"], run: absolute }],
  LENGTH: [{ parameters: ["text"], run: (text: string) => text.length }],
  CONCAT: [{ parameters: [], rest: "text", run: (...texts: string[]) => texts.join("") }],
  CONCAT_WS: [
    { parameters: ["text"], rest: "text", run: (delimiter: string, ...texts: string[]) => texts.join(delimiter) },
  ],
  LOWER: [{ parameters: ["text"], run: (text: string) => text.toLowerCase() }],
  UPPER: [{ parameters: ["text"], run: (text: string) => text.toUpperCase() }],
  TRIM: [{ parameters: ["text"], run: (text: string) => text.trim() }],
  LEFT: [{ parameters: ["text", "integer"], run: (text: string, length: number) => ends("LEFT", text, length) }],
  RIGHT: [{ parameters: ["text", "integer"], run: (text: string, length: number) => ends("RIGHT", text, length) }],
  SUBSTRING: [
    { parameters: ["text", "integer"], run: substring },
    { parameters: ["text", "integer", "integer"], run: substring },
  ],
};

const casts: Record<Parameter, (value: Value) => Value> = {
  any: (value) => value,
  text: toText,
  integer: toInteger,
};

/** Calls a built-in function, casting its arguments; throws a {@link CesqlError} where the function or a cast fails. */
export function call(name: string, values: Value[]): Value {
  const found = (Object.hasOwn(builtIns, name) ? (builtIns[name] as BuiltIn[]) : []).find(({ parameters, rest }) =>
    rest ? values.length >= parameters.length : values.length === parameters.length,
  );
  if (!found) throw new CesqlError("missingFunction", `There is no function ${name} of ${values.length} arguments.`);
  const { parameters, rest, run } = found;
  return run(...(values.map((value, index) => casts[parameters[index] ?? rest ?? "any"](value)) as never[]));
}
