import type { z } from "zod";

/** Parses a text that may be no JSON. @returns undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells whether a value of JSON is an object, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Number of letters of an issue that are shown: names of fields come from the file, and can have any length. */
const MAX_ISSUE_LETTERS = 300;

/** Puts into words what a schema found first: the field's path, and what is wrong there. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) {
    return "unknown problem";
  }
  const text = `${issue.path.join(".") || "its content"}: ${issue.message}`;
  return text.length > MAX_ISSUE_LETTERS ? `${text.slice(0, MAX_ISSUE_LETTERS)}…` : text;
}
