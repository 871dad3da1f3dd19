import http from "node:http";
import { inspect } from "node:util";
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { keepOptions } from "@evenbench/core/advice";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { reasonOf, UsageError, UserError, withQuotes } from "@evenbench/core/errors";
import { isDenied, systemReason } from "@evenbench/core/user-file";
import { version } from "@evenbench/host/repository";
import { keepWords } from "./asked.ts";
import { wordsOfInputs } from "./ci/inputs.ts";
import { ExitCode, exit, Interrupted } from "./exit.ts";
import { type FoundCommands, findCommands } from "./find-commands.ts";
import { cloneHelp, needsClone } from "./help.ts";
import { oneOf } from "./nearest.ts";
import { sayNote } from "./say.ts";
import { TypedWords } from "./typed-words.ts";

export { endWithParent, surviveClosedPipes } from "./exit.ts";
export { examplesOf } from "./help.ts";

/** The description of the program. */
const PROGRAM_DESCRIPTION = IN_CLONE
  ? "Compares how the same JavaScript runs on Cloudflare's workerd, with Vercel's adapter and on Node.js."
  : "Compares servers: measures them in turns, and reports what differs, with 99 % intervals and an A/A copy.";

/** The groups of commands in the help, in order. */
const GROUPS = ["Measure:", "Compare a change:", "Look at results:", "Deploy:", "Develop:"];

/** Makes the command line. It throws a `CommanderError` instead of ending the process. */
export async function createProgram(found: Promise<FoundCommands> = findCommands()) {
  const program = new Command(EVENBENCH)
    .description(PROGRAM_DESCRIPTION)
    .version(version)
    .showHelpAfterError("(add --help for the options)")
    .exitOverride()
    .hook("preAction", (_program, command) => {
      refuseEmpty(command);
      typed.refuseTwice(command);
      keepWords(typed.wordsOf(command));
      keepOptions(namesOfOptions(command));
    });
  const { modules, inCloneOnly } = await found;
  for (const { declare, default: act } of modules) {
    const command = declare(program);
    if (act !== undefined) {
      command.action(act);
    }
  }
  const place = (command: CommandUnknownOpts) =>
    2 * GROUPS.indexOf(command.helpGroup()) + (command.name() === "run" ? 0 : 1);
  (program.commands as CommandUnknownOpts[]).sort((a, b) => place(a) - place(b));
  const typed = new TypedWords(program);
  if (inCloneOnly.length > 0) {
    program.addHelpText("after", cloneHelp(inCloneOnly));
  }
  return program;
}

/** Lists the long names of the options that a command's help has. */
export function namesOfOptions({ options }: CommandUnknownOpts): readonly string[] {
  return options.flatMap(({ long, hidden }) => (hidden || long === undefined ? [] : [long]));
}

/** Refuses an empty word, such as a shell's variable that is not set: it would mean the working directory. */
function refuseEmpty(command: CommandUnknownOpts): void {
  const isEmpty = (value: unknown) => [value].flat().includes("");
  const empty = command.options.find((option) => isEmpty(command.getOptionValue(option.attributeName())));
  const name = empty?.long ?? (isEmpty(command.args) ? "An argument" : null);
  if (name !== null) {
    throw new UsageError(`${name} is empty. Give a value, or leave it out.`);
  }
}

/** Refuses a word that is no command: the default command would take it for a word too many. */
function refuseUnknownCommand(
  program: CommandUnknownOpts,
  { inCloneOnly }: FoundCommands,
  [first = "-"]: readonly string[],
): void {
  if (inCloneOnly.includes(first)) {
    throw needsClone(`"${first}"`, first);
  }
  const names = (commands: readonly CommandUnknownOpts[]) =>
    commands.flatMap((command) => [command.name(), ...command.aliases()]);
  if (first.startsWith("-") || ["help", ...names(program.commands)].includes(first)) {
    return;
  }
  oneOf("command", [first], names(program.commands));
}

/** Gives the words with the default command where they ask for a topic of its help (`--help all`), and with a CI's inputs. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first = "", topic] = args;
  if (first === "ci") {
    return ["ci", ...wordsOfInputs(process.env), ...args.slice(1)];
  }
  return ["-h", "--help"].includes(first) && topic !== undefined ? ["run", ...args] : args;
}

/**
 * Runs a command line.
 *
 * @returns the exit code: 0 done, 1 not, 2 for a wrong command line, 3 undecided, 130 after Ctrl-C, 129 after SIGHUP.
 * A defect ends the process.
 */
export async function main(args: readonly string[]): Promise<number> {
  exit.code = ExitCode.done;
  process.once("beforeExit", onNothingLeft);
  askLoopbackDirectly();
  let program: CommandUnknownOpts | undefined;
  try {
    const found = findCommands();
    program = await createProgram(found);
    refuseUnknownCommand(program, await found, args);
    await program.parseAsync(withCommand(args), { from: "user" });
    return exit.code;
  } catch (error) {
    const code = sayEnd(error);
    if (args[0] === "ci" && code !== ExitCode.done) {
      const { writeFailure } = await import("./ci/media.ts");
      const command = program?.commands.find((each) => each.name() === args[0]);
      const failure = { reason: reasonOf(error), code, out: command?.getOptionValue("out") };
      // Where nothing can be written, the reason and the code stay those of the check.
      await writeFailure(failure, process.env).catch(sayEnd);
    }
    if (isDefect(error)) {
      // What it left open would keep the process.
      process.exit(code);
    }
    return code;
  } finally {
    process.off("beforeExit", onNothingLeft);
  }
}

/** Says why a command ended, and gives its exit code. */
function sayEnd(error: unknown): number {
  // Commander has said it.
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  }
  if (isOfFileSystem(error)) {
    sayNote(`evenbench: ${describeFileError(error)}`);
    return ExitCode.failed;
  }
  if (!(error instanceof UserError)) {
    sayNote(inspect(error));
    return ExitCode.failed;
  }
  sayNote(`evenbench: ${withQuotes(error)}`);
  if (error instanceof Interrupted) {
    return ExitCode.interrupted;
  }
  return error instanceof UsageError ? ExitCode.usage : ExitCode.failed;
}

/** Tells whether an error is a defect of ours: it keeps its stack. */
function isDefect(error: unknown): boolean {
  return !(error instanceof CommanderError || error instanceof UserError || isOfFileSystem(error));
}

/** Makes requests to this machine go to it directly, where Node.js takes proxies from the environment. */
function askLoopbackDirectly(): void {
  if (!process.env.NODE_USE_ENV_PROXY) {
    return;
  }
  const given = process.env.no_proxy || process.env.NO_PROXY;
  const direct = [...(given ? [given] : []), "127.0.0.1", "localhost", "[::1]"].join(",");
  Object.assign(process.env, { NO_PROXY: direct, no_proxy: direct });
  http.globalAgent = new http.Agent({ keepAlive: true, proxyEnv: process.env });
}

/** Says that work waits for something that never comes: it would end with a code of Node.js, and without a word. */
function onNothingLeft(): void {
  sayNote(
    "evenbench: it stopped before its work was done, waiting for something that never came. This is a defect: report it with the command.",
  );
  process.exit(ExitCode.failed);
}

/** An error of the file system. Of two files `dest` is the one that was to be written. */
type FileError = NodeJS.ErrnoException & { readonly dest?: string };

/** Codes of a disk that takes no more, whichever call meets it. */
const FULL = ["ENOSPC", "EDQUOT"];

function isOfFileSystem(error: unknown): error is FileError {
  if (!(error instanceof Error && "code" in error)) {
    return false;
  }
  return "path" in error || FULL.includes(`${error.code}`) || (error as FileError).syscall === "uv_cwd";
}

/**
 * Describes an error of a file that is gone. Commands that take a name from the user have words of their own for it.
 */
function describeFileError(error: FileError): string {
  const { path, dest, code = "" } = error;
  if (FULL.includes(code)) {
    const where = dest ?? path;
    return `The disk is full${where === undefined ? "" : `: ${where} could not be written`} (${code}). Free space there, then repeat the command.`;
  }
  if (path === undefined) {
    return `The current folder is not there (${code}). Change to another one, then repeat the command.`;
  }
  if (code === "ENOENT") {
    return `${path} is not there (ENOENT). If it was removed while the command ran, repeat the command.`;
  }
  const remedy = isDenied(error)
    ? "Change its rights, or run the command as a user who has them."
    : "Check that you may read and write there.";
  return `${path} cannot be used (${systemReason(error)}). ${remedy}`;
}
