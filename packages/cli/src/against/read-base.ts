import { UserError } from "@evenbench/core";
import { type ListDocument, listSchema } from "../list-document.ts";

/**
 * What another state of the repository has, as its own `list --json` says it.
 *
 * @throws {UserError} when it says it in a form that is not known here: another version of Evenbench wrote
 *   it.
 */
export function readBase(json: string, commit: string): ListDocument {
  const read = listSchema.safeParse(parsed(json));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const why = `${issue?.path.join(".") || "its output"}: ${issue?.message}`;
  throw new UserError(
    `Commit ${commit.slice(0, 12)} cannot say what it has: its \`list --json\` is of another version of Evenbench (${why}). Name a later commit, or build both states yourself and say compare --builds <base> <other>.`,
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
