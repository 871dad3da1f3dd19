import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { UsageError, UserError } from "@evenbench/core/errors";
import { openRecord } from "@evenbench/core/records";
import { repositoryRoot } from "@evenbench/host/repository";
import { oneOf } from "../nearest.ts";
import { say } from "../say.ts";

/** Declares the command `new`. */
export function declare(program: Command) {
  return program
    .command("new")
    .helpGroup("Develop:")
    .description("add a case, a platform or an app: a working folder with its test")
    .argument("<kind>", "case, platform or app (for a framework: docs/adding-a-framework.md)")
    .argument("<id>", "its name, such as markdown-page");
}

/** Makes the folder of a new case, platform or app, and prints its files and what to do next. */
export default async function create(kind: string, id: string): Promise<void> {
  assertKind(kind);
  const { folder, files, next } = await createFolder(kind, id);
  say(`New: ${folder}\n${files.map((file) => `  ${file}`).join("\n")}`);
  say(`\nNext:\n${next.map((command) => `  ${command}`).join("\n")}`);
}

/** Names that are not copied: outputs, packages, and hidden files but .gitignore. */
const LEFT_BEHIND = /^(dist|node_modules|\.(?!gitignore$).*)$/;

/** A kind of thing that can be added: a copy of a folder that is there, with names replaced. */
interface Addition {
  readonly from: string;
  names(id: string): readonly (readonly [pattern: RegExp, by: string])[];
  next(id: string): readonly string[];
}

const ADDITIONS: Readonly<Record<string, Addition>> = {
  app: {
    from: "apps/astro",
    names: (id) => [
      [/((?:id|app): |appCases\()"astro"/g, `$1"${id}"`],
      [/title: "Astro"/g, `title: "${id}"`],
      [/(\bapp-|--app |apps\/|evenbench-|^# )astro\b/gm, `$1${id}`],
      [/\bastro-(?=page)/g, `${id}-`],
    ],
    next: (id) => [
      `npm run test:all -- apps/${id}`,
      `npm run bench -- preflight --app ${id}`,
      `npm run bench -- --app ${id}`,
      "# docs/adding-a-framework.md: how another framework takes the place of Astro",
    ],
  },
  case: {
    from: "packages/cases/trig",
    names: (id) => [
      [/"http:\/\/localhost\/trig"/g, `"http://localhost/${id}"`],
      [/title: ".*"/, `title: "${id}"`],
      [
        / {2}golden: \{.*?\n {2}\},\n/s,
        `  // \`npm run bench -- preflight --accept ${id}\` writes them here.\n  golden: null,\n`,
      ],
      [/ {2}(?:rounds|scatter): .*\n/g, ""],
    ],
    next: (id) => [
      `npm test -- packages/cases/${id}`,
      `npm run bench -- preflight --app bundle --accept ${id}   # shows the body, and writes its golden values`,
      `npm run bench -- --app bundle --case ${id}`,
    ],
  },
  platform: {
    from: "apps/node",
    names: (id) => [
      [/title: "Node\.js cluster",\n {2}shortTitle: "Node\.js",\n {2}colour: 0,/, `title: "${id}",`],
      [/description: ".*"/, `description: "apps/${id}, which began as a copy of apps/node."`],
      // Its own are not known yet.
      [/ {2}warmAfter: \{.*?\n {2}\},\n/s, ""],
      [/platform: "node"/g, `platform: "${id}"`],
      [/"node host"/g, `"${id} host"`],
      [/testProduction\(serve, "node"/, `testProduction(serve, "${id}"`],
      [/(\bapp-|^# )node\b/gm, `$1${id}`],
    ],
    next: (id) => [
      `npm test -- apps/${id}`,
      "npm run bench -- preflight --app bundle   # proves that it does the same work as the other platforms",
      "npm test -- packages/test/src/conformance/targets.process.test.ts   # every case on every platform",
      `npm test -- packages/test/src/conformance -t ${id}   # what tests this one alone`,
      `npm run bench -- --target ${id} --target node --case empty --quick   # a smoke test`,
    ],
  },
};

/** Kinds of things that can be added here: a fork may have removed what a kind is copied from. */
export const additionKinds: readonly string[] = Object.entries(ADDITIONS).flatMap(([kind, { from }]) => {
  const folder = join(repositoryRoot, from);
  const isLeft = existsSync(folder) && readdirSync(folder).some((name) => !LEFT_BEHIND.test(name));
  return isLeft ? [kind] : [];
});

/** Checks a kind. @throws {UserError} for an unknown one, and where a fork has removed the folder it is copied from. */
export function assertKind(kind: string, there = additionKinds): void {
  const known = openRecord(Object.entries(ADDITIONS))[kind];
  if (known === undefined) {
    oneOf("kind of thing to add", [kind], there);
  } else if (!there.includes(kind)) {
    throw new UserError(
      `A new ${kind} is a copy of ${known.from}, which was removed here. Bring that folder back from Git first, or copy another ${kind} by hand.`,
    );
  }
}

/** The folder of a new case, platform or app. */
export interface CreatedFolder {
  /** Path of the folder from the repository's root on. */
  readonly folder: string;
  /** Paths of its files from the repository's root on. */
  readonly files: readonly string[];
  /** Command lines to go on with. */
  readonly next: readonly string[];
}

/**
 * Makes the folder of a new case, platform or app, as a copy of one that is there.
 *
 * @param root the folder of the repository. Default: this repository.
 * @throws {UserError} where the id cannot be one, or the folder is there already.
 */
export async function createFolder(
  kind: string,
  id: string,
  root: string = repositoryRoot,
): Promise<CreatedFolder> {
  const { from, names, next } = ADDITIONS[kind] as Addition;
  const { whyNoId } = await import("@evenbench/core");
  const { filesOf, whyNoCaseId } = await import("@evenbench/bundle");
  const noun = kind === "app" ? "App" : "Platform";
  const reason = kind === "case" ? whyNoCaseId(id) : whyNoId(id, noun);
  if (reason !== null) {
    throw new UsageError(`There can be no ${kind} "${id}": ${reason}`);
  }
  const parent = dirname(from);
  const folder = join(parent, id);
  if (existsSync(join(root, folder))) {
    throw new UserError(`${folder} is there already. Give another id, or remove that folder.`);
  }
  const renamed = (text: string) => names(id).reduce((left, [name, by]) => left.replace(name, by), text);
  const source = join(root, from);
  const isOurs = (file: string) => !file.split("/").some((part) => LEFT_BEHIND.test(part));
  const files = (await filesOf(source)).filter(isOurs);
  // Written aside and put in place when whole: nobody finds half of it.
  const staging = join(root, parent, `.new-${id}-${process.pid}`);
  try {
    for (const file of files) {
      const to = join(staging, renamed(file));
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, renamed(await readFile(join(source, file), "utf8")));
    }
    await rename(staging, join(root, folder));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return { folder, files: files.map((file) => join(folder, renamed(file))), next: next(id) };
}
