// What a CI shows of a comparison: a text for its summary and a comment, annotations, and values for later steps.
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Reason, withQuotes } from "@evenbench/core/errors";
import { escapedMarkdown } from "@evenbench/page";
import { type Facts, share } from "@evenbench/report";
import { FACTS_FILE } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import type { JudgedLine } from "../limits.ts";
import { STATES_FOLDER } from "../options.ts";
import { say, sayNote } from "../say.ts";

/** The first line of a comment, by which the next one replaces it. */
const MARKER = "<!-- evenbench -->";
const COMMENT_FILE = "comment.md";
/** Largest number of annotations: GitHub shows ten of a step. */
const MOST_ANNOTATIONS = 10;

/** The command of GitHub's runner for what is undecided, by what that does; null where nobody is told. */
const COMMANDS = { warn: "warning", fail: "error", ignore: null } as const;

/** What was found, and what becomes of it. */
export interface CiOutcome {
  /** Null where it failed before anything was found. */
  readonly facts: Facts | null;
  readonly lines: readonly JudgedLine[];
  /** Path of the folder of the runs. */
  readonly out: string;
  /** The exit code of the comparison, whatever becomes of an undecided one. */
  readonly code: number;
  /** What a check that cannot be decided does. */
  readonly undecided: keyof typeof COMMANDS;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Writes what a CI shows. @param environment names the files of GitHub's runner. @returns the check's exit code. */
export async function writeForCi(outcome: CiOutcome, environment: Variables): Promise<number> {
  const file = join(outcome.out, COMMENT_FILE);
  const text = ciText(outcome);
  await mkdir(outcome.out, { recursive: true });
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
  const mayPass = endOf(outcome) === "undecided" && outcome.undecided !== "fail";
  return mayPass ? ExitCode.done : outcome.code;
}

/** A command that failed before it found anything. */
interface CiFailure extends Pick<CiOutcome, "code"> {
  readonly reason: Reason;
  /** The option --out as far as it was read. */
  readonly out: unknown;
}

/** Writes what a CI shows of a command that failed before it found anything. */
export async function writeFailure({ reason, code, out }: CiFailure, environment: Variables): Promise<void> {
  const { message, quotes } = reason;
  const lines: readonly JudgedLine[] = [{ kind: "failed", text: message, quotes }];
  const folder = typeof out === "string" && out !== "" ? out : STATES_FOLDER;
  await writeForCi({ facts: null, lines, out: folder, code, undecided: "fail" }, environment);
}

const TITLES = {
  passed: "Nothing is worse than allowed",
  undecided: "Undecided: nobody can say that nothing is worse",
  failed: "Worse than allowed",
  "not measured": "Not measured",
} as const;

/** Tells what a check is. Undecided is only what was measured to its end. */
function endOf({ facts, lines, code }: CiOutcome): keyof typeof TITLES {
  const has = (kind: JudgedLine["kind"]) => lines.some((line) => line.kind === kind);
  if (has("met")) {
    return "failed";
  }
  if (code === ExitCode.done) {
    return "passed";
  }
  const isMeasured = facts !== null && facts.levels.length > 0 && !has("failed");
  return isMeasured && code === ExitCode.undecided ? "undecided" : "not measured";
}

/**
 * Writes the text of a summary and of a comment, in Markdown, without a log's lines: CIs hide secrets in their logs
 * alone.
 */
function ciText(outcome: CiOutcome): string {
  const { facts, lines } = outcome;
  const said = lines.map(({ text }) => `- ${text.split("\n").map(escapedMarkdown).join("\\\n  ")}`);
  const found = facts === null ? [] : [share(facts), ""];
  return [MARKER, `### ${TITLES[endOf(outcome)]}`, "", ...said, "", ...found].join("\n");
}

/** Lists annotations as GitHub's runner reads them, the gravest first. It hides secrets in them, as in its log. */
export function annotations(outcome: CiOutcome): readonly string[] {
  const of = (kind: JudgedLine["kind"], command: string | null, title: string) =>
    outcome.lines
      .filter((line) => line.kind === kind && command !== null)
      .map(({ text, quotes = [] }) => {
        const data = withQuotes({ message: text, quotes });
        return `::${command} title=${title}::${escaped(data)}`;
      });
  const [command, title] =
    endOf(outcome) === "not measured"
      ? ["error", TITLES["not measured"]]
      : [COMMANDS[outcome.undecided], "Undecided"];
  const all = [
    ...of("met", "error", TITLES.failed),
    ...of("failed", "error", TITLES["not measured"]),
    ...of("open", command, title),
  ];
  return all.slice(0, MOST_ANNOTATIONS);
}

/** Writes a text as the data of a command of GitHub's runner. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Gives values for later steps, which may run in another folder. Each is one line. */
export function outputs(outcome: CiOutcome, file: string): Readonly<Record<string, string | number>> {
  const { facts, lines, out, code } = outcome;
  const count = (kind: JudgedLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  const end = endOf(outcome);
  return {
    result: end === "not measured" ? "failed" : end,
    "exit-code": code,
    failed: count("met"),
    undecided: count("open"),
    folder: resolve(out),
    json: facts === null ? "" : resolve(out, FACTS_FILE),
    markdown: resolve(file),
  };
}
