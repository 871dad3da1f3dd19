import { isObject, parseJson, UsageError } from "@evenbench/core";

/** The variable in which the action gives its inputs, as JSON: texts by name. */
const INPUTS = "EVENBENCH_INPUTS";
/** Inputs that the action uses by itself. */
const OF_ACTION = ["version", "node-version", "working-directory", "artifact", "comment"];

/**
 * Gives the action's inputs as typed words: each is the option of its name, a value on each line; "base" is the
 * argument, and "args" has options with values.
 *
 * @throws {UsageError} where a CI gave something else.
 */
export function wordsOfInputs(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const text = environment[INPUTS];
  if (text === undefined) {
    return [];
  }
  const inputs = readInputs(text);
  return Object.entries(inputs)
    .filter(([name]) => !OF_ACTION.includes(name))
    .flatMap(([name, value]) => linesOf(value).map((line) => wordOf(name, line)));
}

function readInputs(text: string): Readonly<Record<string, string>> {
  const inputs = parseJson(text);
  if (!isObject(inputs) || Object.values(inputs).some((value) => typeof value !== "string")) {
    throw new UsageError(`${INPUTS} is no JSON object of texts. Leave it to the action, and type options.`);
  }
  return inputs as Record<string, string>;
}

function linesOf(value: string): readonly string[] {
  return value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function wordOf(name: string, line: string): string {
  if (name === "args") {
    return line.replace(/^(--[\w-]+)\s+/, "$1=");
  }
  return name === "base" ? line : `--${name}=${line}`;
}
