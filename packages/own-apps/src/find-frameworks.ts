import { buildScripts } from "@evenbench/bundle/deployable";
import {
  type NamedOwnAppFramework,
  type OwnAppFinding,
  type OwnAppSource,
  type OwnBuildCommand,
  type Platform,
  type PlatformId,
  UserError,
} from "@evenbench/core";
import { discoverOwnApps, inShell } from "@evenbench/host";
import { memberFolders } from "./workspace.ts";

/** A framework that builds an app, and what it found in the app. */
export interface Found {
  readonly framework: NamedOwnAppFramework;
  readonly finding: OwnAppFinding;
}

/** Lists the platforms, of some, for which a framework builds what it found. */
export function platformsOf({ finding }: Found, platforms: readonly Platform[]): readonly Platform[] {
  const { refusals, platforms: own } = finding;
  return platforms.filter(({ id }) => refusals[id] === undefined && (own?.includes(id) ?? true));
}

/** The `order` of frameworks that build an app by its own configuration. */
const BY_CONFIGURATION = 0;

/**
 * Finds what can build or take an app: a framework whose configuration it has, alone; else what takes a finished build of
 * it before what makes something of its modules. The first of these is alone where it is for every platform. Those that
 * are for platforms of their own stand beside each other. None where nothing can.
 */
export async function findFrameworks(source: OwnAppSource): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const framework of await discoverOwnApps()) {
    const finding = await framework.detect(source);
    if (finding === null) {
      continue;
    }
    if (framework.order === BY_CONFIGURATION && finding.isFinished !== true) {
      return [{ framework, finding }];
    }
    found.push({ framework, finding });
  }
  const ranked = found.toSorted((a, b) => Number(isFinished([b])) - Number(isFinished([a])));
  const [first] = ranked;
  if (first?.finding.platforms === undefined) {
    return ranked.slice(0, 1);
  }
  return ranked.filter(({ finding }) => finding.platforms !== undefined);
}

/** Tells whether an app was built already, as far as frameworks take it: nothing of it is bundled here. */
export function isFinished(found: readonly Found[]): boolean {
  return found.every(({ finding }) => finding.isFinished === true);
}

/** Lists the platforms, of some, for which an app was built already. */
export function finishedFor(found: readonly Found[], platforms: readonly Platform[]): readonly PlatformId[] {
  const finished = found.filter(({ finding }) => finding.isFinished === true);
  return finished.flatMap((one) => platformsOf(one, platforms).map(({ id }) => id));
}

/** A step of a build of the app's own. */
export interface OwnBuildStep {
  /** Its name for the middle of a sentence. */
  readonly name: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** The folder that it works in, from the app's on. Default: that. */
  readonly cwd?: string;
}

/** A command that builds. */
const BUILDS = /\b(?:build|compile|tsc|tsup|swc)\b/;

/**
 * Lists what builds an app where no framework's configuration says how: its scripts for it, else what its script "start" builds
 * before it starts; then the command that its platform's tool would run. null where there is nothing, what it makes
 * is there, or it builds the members of a workspace, which starts nothing itself.
 */
export function ownBuildOf(source: OwnAppSource, found: readonly Found[]): readonly OwnBuildStep[] | null {
  const isConfigured = found.some(({ framework }) => framework.order === BY_CONFIGURATION);
  const isThere = found.some(({ finding }) => finding.isFinished);
  const start = source.packageJson?.scripts?.start;
  // A workspace whose own folder is started may be an app beside its members.
  const isOfMembers = found.length === 0 && start === undefined && memberFolders(source.folder).length > 0;
  if (isConfigured || isThere || isOfMembers) {
    return null;
  }
  const ofPlatform = found.flatMap(({ finding }) => finding.buildCommand ?? []).slice(0, 1);
  const steps = [...stepsOfScripts(source.packageJson), ...ofPlatform.map(stepInShell)];
  return steps.length === 0 ? null : steps;
}

function stepsOfScripts(packageJson: OwnAppSource["packageJson"]): readonly OwnBuildStep[] {
  const { build, prestart = "", start = "" } = packageJson?.scripts ?? {};
  if (build !== undefined) {
    return buildScripts(packageJson).map((script) => ({
      name: `the script "${script}" of package.json`,
      command: [process.execPath, "--run", script],
    }));
  }
  const commands = [prestart, ...start.split("&&").slice(0, -1)].map((command) => command.trim());
  const text = commands.filter((command) => BUILDS.test(command)).join(" && ");
  return text === "" ? [] : [{ name: `"${text}" before the script "start"`, command: inShell(text) }];
}

function stepInShell({ command, cwd }: OwnBuildCommand): OwnBuildStep {
  return { name: command, command: inShell(command), cwd };
}

/** Files of a folder by which an app is known that is written in another language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  "requirements.txt": "Python",
  "pyproject.toml": "Python",
  "go.mod": "Go",
  "main.go": "Go",
  "Cargo.toml": "Rust",
  "composer.json": "PHP",
  Gemfile: "Ruby",
  "pom.xml": "Java",
  "deno.json": "modules for Deno",
  "deno.jsonc": "modules for Deno",
};

/** Number of members of a workspace that are named. */
const MEMBERS_NAMED = 6;

/** Says that nothing can build or take an app. */
export async function unknownApp({ folder, packageJson, files }: OwnAppSource): Promise<UserError> {
  const language =
    packageJson === null ? Object.keys(LANGUAGES).find((name) => files.includes(name)) : undefined;
  if (language !== undefined) {
    return new UserError(
      `${folder} is written in ${LANGUAGES[language]} (${language}), which is not built here: apps are JavaScript or TypeScript. To measure its server alone, name the command that starts it, such as --start "./server".`,
    );
  }
  const members = memberFolders(folder);
  if (members.length > 0) {
    const named = members.slice(0, MEMBERS_NAMED).join(", ");
    return new UserError(
      `${folder} is a workspace, and no app itself. Give the folder of the member that is the app: it has ${named}${members.length > MEMBERS_NAMED ? " and others" : ""}.`,
    );
  }
  const known = (await discoverOwnApps()).map(({ title }) => title).join(", ");
  return new UserError(
    `${folder} is no app that Evenbench knows. It knows: ${known}. Give the folder with the app's own package.json; for a server that a command starts, add --start "npm start".`,
  );
}
