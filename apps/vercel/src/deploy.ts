import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  BUILD_VARIABLE,
  type DeployOrder,
  messageOf,
  type PlatformDeployment,
  type RunTool,
  TOKEN_VARIABLE,
} from "@evenbench/core";
import { compileCache, variablesNamed } from "@evenbench/host";
import { readBuildOutput } from "./build-output.ts";
import { changeConfiguration } from "./deployable.ts";

/** The variable that names the team, where the account has several. Its name is the CLI's own. */
const TEAM = "VERCEL_ORG_ID";
/** The variable with another address of Vercel's API (`--api`), for a recorder on this machine. */
const API = "EVENBENCH_VERCEL_API";

/**
 * Variables of the CLI. It wants VERCEL_PROJECT_ID with VERCEL_ORG_ID. Evenbench names the project itself: both are
 * kept from it.
 */
const VERCEL_VARIABLES = {
  ...compileCache(),
  VERCEL_TELEMETRY_DISABLED: "1",
  NO_UPDATE_NOTIFIER: "1",
  NO_COLOR: "1",
  VERCEL_ORG_ID: "",
  VERCEL_PROJECT_ID: "",
};

/** Deploys deployables, and removes them, by Vercel's CLI. */
export const deployment: PlatformDeployment = {
  async missingCredentials(run) {
    try {
      await vercel(run, process.cwd(), ["whoami"]);
      return [];
    } catch (error) {
      const message = messageOf(error);
      return [process.env.VERCEL_TOKEN ? `Vercel: VERCEL_TOKEN is not accepted. ${message}` : MISSING_TOKEN];
    }
  },

  refusal: ({ region }) =>
    Object.hasOwn(REGIONS, region)
      ? null
      : `Vercel has no region ${region}. It has ${Object.keys(REGIONS).join(", ")}.`,

  describe: ({ name, region }) => [
    `a project "${name}", and a production deployment of it in ${REGIONS[region]}`,
    "its sensitive environment variable EVENBENCH_TOKEN, for production",
  ],

  /** Reads the output as the host does: the CLI's own --dry wants a project. */
  async rehearse(order) {
    await stage(order);
    await readBuildOutput(join(order.scratch, ".vercel/output"));
  },

  async deploy(order, run) {
    const { scratch, name, token } = order;
    await stage(order);
    await vercel(run, scratch, ["link", "--yes", "--project", name]);
    const secret = ["env", "add", TOKEN_VARIABLE, "production", "--sensitive", "--force"];
    await vercel(run, scratch, secret, token);
    const json = await vercel(run, scratch, ["deploy", "--prebuilt", "--prod", "--yes", "--format", "json"]);
    return { url: originIn(json), accountsUrl: null };
  },

  async destroy(name, scratch, run) {
    try {
      await vercel(run, scratch, ["remove", name, "--yes"]);
    } catch (error) {
      if (!(error instanceof Error && /could not find|not found/i.test(error.message))) {
        throw error;
      }
    }
  },
};

/** The sentence for an account that is not logged in. */
const MISSING_TOKEN =
  "Vercel: set VERCEL_TOKEN (make one at https://vercel.com/account/settings/tokens), or log in with `npx vercel login`. With several teams, set VERCEL_ORG_ID to the one that is to own the projects (its settings show it as Team ID).";

async function stage({ deployable, scratch, region, digest }: DeployOrder): Promise<void> {
  const output = join(scratch, ".vercel/output");
  await cp(deployable, output, { recursive: true, verbatimSymlinks: true });
  const { functions } = await readBuildOutput(output);
  for (const { directory, configuration } of functions) {
    await changeConfiguration(directory, {
      environment: { ...configuration.environment, [BUILD_VARIABLE]: digest },
      regions: [REGIONS[region]],
    });
  }
}

/** Runs Vercel's CLI. @returns its stdout. */
function vercel(run: RunTool, cwd: string, args: readonly string[], input?: string): Promise<string> {
  const cli = join(dirname(createRequire(import.meta.url).resolve("vercel/package.json")), "dist/vc.js");
  const { [TEAM]: team, [API]: api } = process.env;
  const scope = team ? ["--scope", team] : [];
  const address = api ? ["--api", api] : [];
  return run({
    name: `vercel ${args[0]}`,
    command: [process.execPath, cli, ...args, ...scope, ...address],
    cwd,
    env: { ...variablesNamed(/^VERCEL_TOKEN$/), ...VERCEL_VARIABLES },
    ...(input === undefined ? {} : { input }),
  });
}

/** Reads the address of production: that of a single deployment stands behind the team's login. */
function originIn(json: string): string {
  const { productionUrl, url }: { productionUrl?: string; url?: string } = JSON.parse(json);
  const origin = productionUrl ?? url;
  if (origin === undefined) {
    throw new Error(`vercel deploy names no address: ${json.slice(0, 500)}`);
  }
  return new URL(origin).origin;
}

/** Vercel's names of AWS's regions, by AWS's own: "Vercel CDN regions" of its documentation. */
const REGIONS: Readonly<Record<string, string>> = {
  "af-south-1": "cpt1",
  "ap-east-1": "hkg1",
  "ap-northeast-1": "hnd1",
  "ap-northeast-2": "icn1",
  "ap-northeast-3": "kix1",
  "ap-south-1": "bom1",
  "ap-southeast-1": "sin1",
  "ap-southeast-2": "syd1",
  "ca-central-1": "yul1",
  "eu-central-1": "fra1",
  "eu-north-1": "arn1",
  "eu-west-1": "dub1",
  "eu-west-2": "lhr1",
  "eu-west-3": "cdg1",
  "me-central-1": "dxb1",
  "sa-east-1": "gru1",
  "us-east-1": "iad1",
  "us-east-2": "cle1",
  "us-west-1": "sfo1",
  "us-west-2": "pdx1",
};
