// What a CI shows of a comparison: a text for its summary and a comment, annotations, and values for later steps.
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapedMarkdown } from "@evenbench/page";
import { type Facts, share } from "@evenbench/report";
import { FACTS_FILE } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import type { JudgedLine } from "../limits.ts";
import { say, sayNote } from "../say.ts";

/** The first line of a comment, by which the next one replaces it. */
const MARKER = "<!-- evenbench -->";
/** Name of the text, beside the runs. */
const COMMENT_FILE = "comment.md";
/** Largest number of annotations: GitHub shows ten of a step. */
const MOST_ANNOTATIONS = 10;

/** What was found, and what becomes of it. */
export interface CiOutcome {
  readonly facts: Facts;
  readonly lines: readonly JudgedLine[];
  /** Path of the folder of the runs. */
  readonly out: string;
  /** The exit code of the comparison, whatever becomes of an undecided one. */
  readonly code: number;
  /** True where nobody is warned of what is undecided. */
  readonly isQuiet: boolean;
}

/** Writes what a CI shows. @param environment names the files of GitHub's runner, where that runs it. */
export async function writeForCi(
  outcome: CiOutcome,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const file = join(outcome.out, COMMENT_FILE);
  const text = ciText(outcome);
  await writeFile(file, text);
  sayNote(`For a comment: ${file}`);
  if (environment.GITHUB_ACTIONS === "true") {
    for (const line of annotations(outcome)) {
      say(line);
    }
  }
  if (environment.GITHUB_STEP_SUMMARY) {
    await appendFile(environment.GITHUB_STEP_SUMMARY, text);
  }
  if (environment.GITHUB_OUTPUT) {
    const values = Object.entries(outputs(outcome, file)).map(([name, value]) => `${name}=${value}\n`);
    await appendFile(environment.GITHUB_OUTPUT, values.join(""));
  }
}

const TITLES: Readonly<Record<number, readonly [title: string, result: string]>> = {
  [ExitCode.done]: ["Nothing is worse than allowed", "passed"],
  [ExitCode.undecided]: ["Undecided: nobody can say that nothing is worse", "undecided"],
};
const FAILED = ["Worse than allowed", "failed"] as const;

/** Writes the text of a summary and of a comment, in Markdown. */
function ciText({ facts, lines, code }: CiOutcome): string {
  const [title] = TITLES[code] ?? FAILED;
  const said = lines.map(({ text }) => `- ${escapedMarkdown(text)}`);
  return [MARKER, `### ${title}`, "", ...said, "", share(facts), ""].join("\n");
}

/** Lists annotations as GitHub's runner reads them, the gravest first. */
export function annotations({ lines, isQuiet }: Pick<CiOutcome, "lines" | "isQuiet">): readonly string[] {
  const of = (kind: JudgedLine["kind"], command: string, title: string) =>
    lines
      .filter((line) => line.kind === kind)
      .map(({ text }) => `::${command} title=${title}::${escaped(text)}`);
  const all = [
    ...of("met", "error", "Worse than allowed"),
    ...(isQuiet ? [] : of("open", "warning", "Undecided")),
  ];
  return all.slice(0, MOST_ANNOTATIONS);
}

/** Writes a text as the data of a command of GitHub's runner. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Gives values for later steps. Each is one line. */
export function outputs(
  { lines, out, code }: Pick<CiOutcome, "lines" | "out" | "code">,
  file: string,
): Readonly<Record<string, string | number>> {
  const count = (kind: JudgedLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  const [, result] = TITLES[code] ?? FAILED;
  return {
    result,
    "exit-code": code,
    failed: count("met"),
    undecided: count("open"),
    folder: out,
    json: join(out, FACTS_FILE),
    markdown: file,
  };
}
