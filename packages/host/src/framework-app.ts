import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type AppDefinition, type DevelopOptions, defineApp, type Host, UserError } from "@evenbench/core";
import { serverEnvironment } from "./environment.ts";
import { startHost } from "./start-host.ts";

/** Milliseconds within which a framework's own server for developing has to be ready: it builds first. */
const DEVELOPS_WITHIN_MS = 120_000;

/** The part of an app that is particular to its framework. */
export interface Framework
  extends Pick<AppDefinition, "title" | "cases" | "casesOf" | "adapters" | "generated"> {
  /** The framework's program, from `node_modules` on. */
  readonly command: string;
  /** Gives the arguments by which it listens on a port, behind "dev". */
  developOn(port: number): readonly string[];
  /** Variables that are added while developing. Default: none. */
  readonly developIn?: Readonly<Record<string, string>>;
  /** A character of a folder's path below which its server for developing does not work. Default: there is none. */
  readonly developsNotBelow?: string;
}

/**
 * Makes an app of a framework: it has a deployable for each platform that its package.json has a script
 * "build:…" for.
 */
export function frameworkApp({ dirname: folder }: ImportMeta, framework: Framework): AppDefinition {
  const { command, developOn, developIn, developsNotBelow, ...app } = framework;
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { scripts }: { scripts: object } = JSON.parse(manifest);
  return defineApp({
    ...app,
    id: basename(folder),
    deployable: (platform) => (`build:${platform}` in scripts ? join(folder, "dist", platform) : null),
    develop: (options) => startDeveloping(folder, framework, options),
  });
}

async function startDeveloping(folder: string, framework: Framework, options: DevelopOptions): Promise<Host> {
  const { title, command, developOn, developIn, developsNotBelow } = framework;
  if (developsNotBelow !== undefined && folder.includes(developsNotBelow)) {
    throw new UserError(
      `${title}'s own server does not work below a folder with ${developsNotBelow} in its name, since it writes paths between these. ` +
        `Move the clone: it lies in ${folder}. Building and measuring work here.`,
    );
  }
  return startHost({
    ...options,
    name: `${title}'s own server`,
    cores: null,
    readyWithinMs: DEVELOPS_WITHIN_MS,
    command: (port) => ({
      file: process.execPath,
      args: [join(folder, "node_modules", command), "dev", ...developOn(port)],
      cwd: folder,
      env: serverEnvironment({ NODE_ENV: "development", ...developIn }),
    }),
  });
}
