import { join } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import type { CaseManifest } from "@evenbench/core";
import { UsageError, withQuotes } from "@evenbench/core/errors";
import { shellWord } from "@evenbench/core/shell";
import type { ProfileRecord } from "@evenbench/results";
import { askedFor } from "../asked.ts";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import { parseDuration } from "../option-values.ts";
import { type OptionsOf, type OwnAppOptions, shared, withLocalTargets, withOutput } from "../options.ts";
import { addOwnAppOptions } from "../own-app-options.ts";
import { namesOwnServers, withOwnServers } from "../own-server-options.ts";
import { say, sayJson, sayNote } from "../say.ts";

type ProfileCommandOptions = OptionsOf<typeof declare> & Omit<OwnAppOptions, "build">;

const PHASE_WORDS = {
  start: "starting",
  warmup: "warming up",
  sample: "taking samples",
  read: "reading the profile",
};

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `profile`. */
export function declare(program: Command) {
  const command = program
    .command("profile")
    .helpGroup("Measure:")
    .description("take CPU profiles of a case on local targets, under load, side by side")
    .argument("[case]", "the case to profile (for your own servers: --path)")
    .addOption(new Option("--startup", "profile the start instead: from the first module until it rests"))
    .addOption(
      new Option("--memory", "say what requests leave in memory instead, by two heap snapshots").conflicts(
        "startup",
      ),
    )
    .addOption(
      new Option("--time <duration>", "how long each target is sampled, after its start and warm-up")
        .argParser(parseDuration)
        .default(10_000, "10 s"),
    )
    // Not among the runs, of which the newest is what other commands take.
    .addOption(shared.out("folder for profiles", "profiles"));
  const whole = withOutput(withOwnServers(withLocalTargets(command)));
  addOwnAppOptions(whole);
  return withExamples(
    whole,
    ["npm run bench -- profile react-ssr --target node --target cloudflare", "two platforms side by side"],
    [
      'npm run bench -- profile --target new="cmd: node new.js" --path /products',
      "your own server, unchanged",
    ],
    ["npm run bench -- profile --own-app ../my-app --path /api/hello", "your own app, on every platform"],
    ["npm run bench -- profile --own-app ../my-app --path / --startup", "what takes time when it starts"],
    ["npm run bench -- profile --own-app ../my-app --path / --memory", "what each request leaves in memory"],
  );
}

/** Takes CPU profiles of targets under the load of one case, and prints where their time went. */
export default async function profile(
  word: string | undefined,
  options: ProfileCommandOptions,
): Promise<void> {
  const { profile: profileTargets, renderProfile } = await import("@evenbench/profile");
  const { targets, manifest } = await whatToProfile(word, options);
  const signal = interruptible();
  const { folder, record } = await profileTargets({
    ...options,
    asked: askedFor(),
    targets,
    case: manifest,
    of: kindOf(options),
    timeMs: options.time,
    signal,
    onPhase: (target, phase) => sayNote(`${target}: ${PHASE_WORDS[phase]} ...`),
    onEvent: ({ detail: message, quotes }) => sayNote(`! ${withQuotes({ message, quotes })}`),
    onWait: sayNote,
  });
  if (options.json) {
    sayJson(record, 2);
  } else if (record.targets.length + record.kept.length === 0) {
    sayNote(`${signal.aborted ? "Interrupted before a profile was taken" : "No profile was taken"}.`);
  } else {
    say(`${renderProfile(record)}\n${openingLine(record.of, folder)}`);
  }
  if (record.status !== "complete") {
    exit.code = signal.aborted ? ExitCode.interrupted : ExitCode.failed;
  }
}

function kindOf({ startup, memory }: ProfileCommandOptions): ProfileRecord["of"] {
  if (memory === true) {
    return "memory";
  }
  return startup === true ? "start" : "requests";
}

function openingLine(of: ProfileRecord["of"], folder: string): string {
  return of === "memory"
    ? `Snapshots: open ${join(folder, "*.heapsnapshot")} in a browser's developer tools (Memory, Comparison).`
    : `Flame graphs: open ${join(folder, "*.cpuprofile")} in a browser's developer tools or at https://www.speedscope.app.`;
}

/** Chooses the targets and the case. @throws {UsageError} where that is not one case, or a target cannot be profiled. */
async function whatToProfile(word: string | undefined, options: ProfileCommandOptions) {
  const { choose } = await import("../measuring.ts");
  const isOwn = namesOwnServers(options);
  if (isOwn && word !== undefined) {
    throw new UsageError(
      `"${word}" is a case of the repository, and your own servers have none. Leave it out.`,
    );
  }
  if (!isOwn && word === undefined) {
    throw new UsageError(
      'Name what to profile: a case (profile react-ssr), or a path of your own servers (--target a="cmd: node server.js" --path /).',
    );
  }
  assertOnePath(options.path ?? []);
  const selection = word === undefined ? options : { ...options, case: [word] };
  const { targets, cases } = await choose(selection, (selected) => {
    const running = selected.find(({ place }) => place === "url");
    if (running === undefined) {
      return;
    }
    throw new UsageError(
      `"${running.name}" is a URL: its runtime's inspector cannot be reached from here. Let a command start it: --target ${running.name}="cmd: node server.js". Only servers on Node.js can be profiled.`,
    );
  });
  const [manifest, another] = Object.values(cases).flat() as [CaseManifest, CaseManifest?];
  if (another !== undefined) {
    throw new UsageError("A profile covers one case. Profile the others separately.");
  }
  return { targets: targets.filter((target) => target.place === "local"), manifest };
}

/** Checks paths before anything is built. @throws {UsageError} for several. */
function assertOnePath(paths: readonly string[]): void {
  const [first, ...others] = paths;
  if (first !== undefined && others.length > 0) {
    throw new UsageError(
      `A profile covers one path, and there are ${paths.length}: ${paths.join(", ")}. Name one: --path ${shellWord(first)}.`,
    );
  }
}
