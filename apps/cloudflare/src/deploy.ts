import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleEntries } from "@evenbench/bundle/deployable";
import {
  BUILD_VARIABLE,
  type DeployOrder,
  messageOf,
  type PlatformDeployment,
  type RunTool,
  TOKEN_VARIABLE,
} from "@evenbench/core";
import { compileCache, variablesNamed } from "@evenbench/host";
import { readWranglerConfiguration, wranglerProgram, writeWranglerConfiguration } from "./wrangler.ts";

/** Names of wrangler's variables with the credentials. */
const ACCOUNT = "CLOUDFLARE_ACCOUNT_ID";
const API_TOKEN_VARIABLE = "CLOUDFLARE_API_TOKEN";

/** Names of the variables by which wrangler signs in, and finds the API. */
const OF_WRANGLER = /^(?:CLOUDFLARE|CF|WRANGLER)_/;

const WRANGLER_VARIABLES = { WRANGLER_SEND_METRICS: "false", CI: "1", ...compileCache() };

/** A region of AWS, such as "us-east-1". */
const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** The words of `whoami --json` for nobody. */
const LOGGED_OUT = /"loggedIn": ?false/;

/** Codes of Cloudflare's API for a Worker that is gone: "10090: This Worker does not exist on this account". */
const NOT_THERE = /\b100(?:07|90)\b/;

/** Deploys Workers, and removes them, by wrangler. */
export const deployment: PlatformDeployment = {
  async missingCredentials(run) {
    if (process.env[API_TOKEN_VARIABLE] && !process.env[ACCOUNT]) {
      return [MISSING_ACCOUNT];
    }
    try {
      await wrangler(run, process.cwd(), ["whoami", "--json"]);
      return [];
    } catch (error) {
      const why = messageOf(error);
      return [LOGGED_OUT.test(why) ? MISSING_TOKEN : `Cloudflare: the credentials were not accepted. ${why}`];
    }
  },

  refusal({ name, region }) {
    if (name.endsWith(TAIL)) {
      return `"${name}" is how the Tail Worker beside another Worker is called. Give the app another id, or another --name.`;
    }
    if (!REGION.test(region)) {
      return `"${region}" is no region of AWS. Give one such as us-east-1.`;
    }
    return null;
  },

  describe: ({ name, region, accounting }) => [
    `a Worker "${name}" on workers.dev, placed beside aws:${region} (replaced where it exists)`,
    "its secret EVENBENCH_TOKEN",
    "plan: Workers Paid; the free plan ends a request after 10 ms of CPU time",
    ...(accounting ? [`a Tail Worker "${tailName(name)}" with a database (Cloudflare's paid plan)`] : []),
  ],

  async rehearse(order, run) {
    await stage(order);
    await wrangler(run, order.scratch, ["deploy", "--dry-run", "--outdir", join(order.scratch, "dry-run")]);
  },

  async deploy(order, run) {
    await stage(order);
    // First: a Worker cannot name a Tail Worker that is not there.
    const accountsUrl = order.accounting ? await deployTail(order, run) : null;
    return { url: await upload(order.scratch, order.token, run), accountsUrl };
  },

  removes: namesOf,

  async destroy(name, scratch, run) {
    for (const worker of namesOf(name)) {
      try {
        await wrangler(run, scratch, ["delete", "--name", worker, "--force"]);
      } catch (error) {
        if (!(error instanceof Error && NOT_THERE.test(error.message))) {
          throw error;
        }
      }
    }
  },
};

const MISSING_TOKEN = `Cloudflare: set ${API_TOKEN_VARIABLE} (make one at https://dash.cloudflare.com/profile/api-tokens from the template "Edit Cloudflare Workers") and ${ACCOUNT} (the dashboard shows it under Workers & Pages), or log in with \`npx wrangler login\`.`;
const MISSING_ACCOUNT = `Cloudflare: set ${ACCOUNT} to the account that the ${API_TOKEN_VARIABLE} is of (the dashboard shows it at https://dash.cloudflare.com under Workers & Pages).`;

/** Makes the folder that wrangler deploys. */
async function stage(order: DeployOrder): Promise<void> {
  const { deployable, scratch, name, region, digest, accounting } = order;
  await cp(deployable, scratch, { recursive: true });
  const configuration = await readWranglerConfiguration(deployable);
  const services = configuration.services?.map((binding) =>
    binding.service === configuration.name ? { ...binding, service: name } : binding,
  );
  // What has no id is there on this machine alone: wrangler would make one in the account, and nobody removes it.
  const namespaces = configuration.kv_namespaces?.filter(({ id }) => id !== undefined);
  await writeWranglerConfiguration(scratch, {
    ...configuration,
    name,
    ...(namespaces === undefined ? {} : { kv_namespaces: namespaces }),
    vars: { ...configuration.vars, [BUILD_VARIABLE]: digest },
    ...(services === undefined ? {} : { services }),
    placement: { region: `aws:${region}` },
    ...(accounting ? { tail_consumers: [{ service: tailName(name) }] } : {}),
    workers_dev: true,
    preview_urls: false,
  });
}

const TAIL = "-tail";

function tailName(name: string): string {
  return name + TAIL;
}

/** Names the Worker and its Tail Worker, which may never have been asked for. */
function namesOf(name: string): readonly string[] {
  return [name, tailName(name)];
}

/** Deploys the Tail Worker. @returns its address. */
async function deployTail({ name, scratch, token }: DeployOrder, run: RunTool): Promise<string> {
  const folder = join(scratch, "tail");
  await buildTail(folder, tailName(name));
  return upload(folder, token, run);
}

/** Builds the Tail Worker, which keeps the accounts of requests. */
export async function buildTail(folder: string, name: string): Promise<void> {
  const neutral = { platform: "neutral", target: "es2024" } as const;
  await bundleEntries(join(import.meta.dirname, "tail"), folder, { tail: "entry.ts" }, neutral);
  await writeWranglerConfiguration(folder, {
    name,
    main: "tail.mjs",
    no_bundle: true,
    compatibility_date: "2026-11-01",
    durable_objects: { bindings: [{ name: "ACCOUNTS", class_name: "Accounts" }] },
    migrations: [{ tag: "v1", new_sqlite_classes: ["Accounts"] }],
    workers_dev: true,
    preview_urls: false,
  });
}

/** Deploys a Worker with its secret. @returns its origin. */
async function upload(folder: string, token: string, run: RunTool): Promise<string> {
  const file = join(folder, "secrets.json");
  const outputFile = join(folder, "wrangler.ndjson");
  await writeFile(file, JSON.stringify({ [TOKEN_VARIABLE]: token }), { mode: 0o600 });
  await wrangler(run, folder, ["deploy", "--secrets-file", file], { WRANGLER_OUTPUT_FILE_PATH: outputFile });
  return originIn(await readFile(outputFile, "utf8"));
}

/** Runs wrangler. @returns its stdout. */
function wrangler(
  run: RunTool,
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const command = [process.execPath, wranglerProgram(), ...args] as const;
  return run({
    name: `wrangler ${args[0]}`,
    command,
    cwd,
    env: { ...variablesNamed(OF_WRANGLER), ...WRANGLER_VARIABLES, ...env },
  });
}

/** Reads a Worker's origin from wrangler's notes. @throws {Error} where they name none. */
function originIn(ndjson: string): string {
  const entries = ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type?: string; targets?: readonly string[] });
  const target = entries.find(({ type }) => type === "deploy")?.targets?.find((url) => URL.canParse(url));
  if (target === undefined) {
    throw new Error(
      "wrangler deployed the Worker and names no address of it. Turn its workers.dev route on and deploy again.",
    );
  }
  return new URL(target).origin;
}
