import { join, resolve } from "node:path";
import { shellOption } from "@evenbench/core/shell";
import { repositoryRoot } from "@evenbench/host/repository";

export const DEFAULT_NAME = "evenbench";

/** With an app's id and what platforms add, it fits the 63 characters of a host name's label. */
const LONGEST = 40;
const NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

export function isDeploymentName(text: string): boolean {
  return text.length <= LONGEST && NAME.test(text);
}

export const NAME_IN_WORDS = `lower-case letters, digits and inner dashes, at most ${LONGEST}, a letter first`;

/** AWS's name, because Vercel's regions are AWS's, and Cloudflare takes one as a placement hint. */
export const DEFAULT_REGION = "us-east-1";

export const DEPLOYMENTS_FILE: string = join(repositoryRoot, "deployments.json");

/** The end of a command that is to be run as it is told; nothing for the usual file. */
export function fileOption(file: string): string {
  return resolve(file) === DEPLOYMENTS_FILE ? "" : ` ${shellOption("--deployments", file)}`;
}
