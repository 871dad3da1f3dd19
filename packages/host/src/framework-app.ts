import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type AppDefinition, defineApp } from "@evenbench/core";
import { serverEnvironment } from "./environment.ts";
import { startHost } from "./start-host.ts";

export interface Framework extends Pick<AppDefinition, "title" | "cases" | "adapters"> {
  /** The package of its command, and the program within. */
  readonly command: readonly [name: string, program: string];
  /** The command's arguments for a server that takes up changed sources. */
  developOn(port: number): readonly string[];
  readonly developIn?: Readonly<Record<string, string>>;
}

/** An app that a framework builds into `dist/<platform>`: for each platform that it has a script "build:…" for. */
export function frameworkApp({ dirname: folder }: ImportMeta, framework: Framework): AppDefinition {
  const manifest = join(folder, "package.json");
  const { scripts }: { scripts: object } = JSON.parse(readFileSync(manifest, "utf8"));
  const [name, program] = framework.command;
  return defineApp({
    id: basename(folder),
    title: framework.title,
    ...(framework.adapters && { adapters: framework.adapters }),
    cases: framework.cases,
    deployable: (platform) => (`build:${platform}` in scripts ? join(folder, "dist", platform) : null),
    develop(options) {
      const installed = dirname(createRequire(manifest).resolve(`${name}/package.json`));
      return startHost({
        ...options,
        name: `${name} dev`,
        cores: null,
        readyWithinMs: 120_000,
        command: (port) => ({
          file: process.execPath,
          args: [join(installed, program), "dev", ...framework.developOn(port)],
          cwd: folder,
          env: serverEnvironment({ NODE_ENV: "development", ...framework.developIn }),
        }),
      });
    },
  });
}
