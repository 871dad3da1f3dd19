import { randomBytes } from "node:crypto";
import { chmod, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isToken, TOKEN_RULE, TOKEN_VARIABLE, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { readIfThere } from "@evenbench/core/user-file";
import * as z from "zod";

const address = z.url({ protocol: /^https?$/ });
const storedDeployment = z.strictObject({
  app: z.string(),
  platform: z.string(),
  name: z.string(),
  state: z.enum(["begun", "deployed"]),
  url: address.nullable(),
  accountsUrl: address.nullable(),
  digest: z.string(),
  region: z.string(),
  at: z.iso.datetime(),
});

const schema = z.strictObject({
  schemaVersion: z.literal(1),
  token: z.string().nullable(),
  deployments: z.array(storedDeployment),
});

/** A deployment of one app to one platform, as the list of deployments has it. */
export type Deployment = z.infer<typeof storedDeployment>;
/** The contents of `deployments.json`: the deployments, and their token. Git ignores the file. */
export type Deployments = z.infer<typeof schema>;

/** A list without deployments. */
const NONE: Deployments = { schemaVersion: 1, token: null, deployments: [] };

/** Reads the list of deployments; empty where there is no file. @throws {UserError} where it cannot be read. */
export async function readDeployments(file: string): Promise<Deployments> {
  const text = readIfThere(file);
  if (text === null) {
    return NONE;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll("\n", " ") : String(error);
    throw new UserError(
      `${file} is not a list of deployments (${why}). Fix it; or move it away, delete on the platforms what it names, and deploy again.`,
    );
  }
}

/**
 * Writes the list of deployments, which its owner alone can read. An interruption leaves the old file or the
 * new one.
 */
export async function writeDeployments(file: string, deployments: Deployments): Promise<void> {
  const next = `${file}.${process.pid}.next`;
  makeFolder(dirname(file));
  await writeFile(next, `${JSON.stringify(deployments, null, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}

/**
 * Replaces the entry of an app's deployment to a platform. One command at a time does so (`deployTargets`).
 *
 * @param token the token that the list keeps from now on. Default: as it is.
 * @param by makes the new entry from the one before; null: it is removed.
 * @returns the new entry, if there is one.
 */
export async function replaceNoted(
  file: string,
  { app, platform }: Pick<Deployment, "app" | "platform">,
  token: string | null | undefined,
  by: (noted: Deployment | undefined) => Deployment | null,
): Promise<readonly Deployment[]> {
  const all = await readDeployments(file);
  const isSame = (deployment: Deployment) => deployment.app === app && deployment.platform === platform;
  const next = by(all.deployments.find(isSame));
  const noted = next === null ? [] : [next];
  const deployments = [...all.deployments.filter((deployment) => !isSame(deployment)), ...noted];
  await writeDeployments(file, { ...all, ...(token !== undefined && { token }), deployments });
  return noted;
}

/**
 * Gives the token that the user has set, which is never kept; null where none is set.
 *
 * @throws {UserError} where what is set is no token.
 */
export function givenToken(): string | null {
  const given = process.env[TOKEN_VARIABLE];
  if (given === undefined || given === "") {
    return null;
  }
  if (isToken(given)) {
    return given;
  }
  throw new UserError(`${TOKEN_VARIABLE} is not a token: it must have ${TOKEN_RULE}.`);
}

/**
 * Chooses the token of new deployments: the user's; else the one that is kept; else a new one.
 *
 * @param staying number of deployments that keep the token they have.
 * @throws {UserError} where those would need another one.
 */
export function chooseToken(
  { token }: Pick<Deployments, "token">,
  staying: number,
): { readonly token: string; readonly kept: string | null } {
  const given = givenToken();
  if (given === null) {
    if (token === null && staying > 0) {
      throw new UserError(NOT_GIVEN_AGAIN);
    }
    const kept = token ?? randomBytes(32).toString("hex");
    return { token: kept, kept };
  }
  if (token !== null && token !== given && staying > 0) {
    throw new UserError(GIVEN_ANOTHER);
  }
  return { token: given, kept: token === given ? token : null };
}

const ALL_AT_ONCE = "or deploy all of them at once.";
const NOT_GIVEN_AGAIN = `What is deployed was given its token by ${TOKEN_VARIABLE}, and it is not kept. Set ${TOKEN_VARIABLE} to the same one, ${ALL_AT_ONCE}`;
const GIVEN_ANOTHER = `What is deployed has the token that stands in deployments.json, and ${TOKEN_VARIABLE} is another. Unset ${TOKEN_VARIABLE}, ${ALL_AT_ONCE}`;
