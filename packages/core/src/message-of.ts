/** What a caught value says: the message of an error, anything else as text. */
export function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
