import { InvalidArgumentError, type Option } from "commander";

/**
 * A value of `evenbench.config.ts` as the command line's own parser reads it; undefined where the option is
 * then not given.
 *
 * @throws {InvalidArgumentError} saying what the option takes.
 */
export function parseValue(option: Option, value: unknown): unknown {
  if (!option.required && !option.optional) return parseSwitch(option, value);
  if (option.optional && typeof value === "boolean") return value || undefined;
  const words = Array.isArray(value) ? value : [value];
  if (words.length > 1 && !option.variadic) throw new InvalidArgumentError("Give one value, not a list.");
  let result: unknown;
  for (const word of words) {
    if (typeof word !== "string" && typeof word !== "number")
      throw new InvalidArgumentError(`Give a text or a number, as after ${option.long} on the command line.`);
    result = option.parseArg ? option.parseArg(String(word), result) : String(word);
  }
  return result;
}

/** `quiet: true` is --quiet, `build: false` is --no-build. */
function parseSwitch(option: Option, value: unknown): boolean | undefined {
  if (typeof value !== "boolean") throw new InvalidArgumentError("Give true or false.");
  return value === option.negate ? undefined : value;
}
