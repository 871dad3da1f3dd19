import { join, resolve } from "node:path";
import { shellOption } from "@evenbench/core/shell";
import { repositoryRoot } from "@evenbench/host/repository";

/** The beginning of deployments' names, unless the user gives another. */
export const DEFAULT_NAME = "evenbench";

/** The longest beginning: with an app's id and what platforms add, it fits the 63 characters of a host name's label. */
const MAX_LENGTH = 40;
/** A beginning that all platforms take. */
const DEPLOYMENT_NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/** Tells whether the names of deployments can begin with a text. */
export function isDeploymentName(text: string): boolean {
  return text.length <= MAX_LENGTH && DEPLOYMENT_NAME.test(text);
}

/** The rule of `isDeploymentName` in words, for messages. */
export const NAME_IN_WORDS = `lower-case letters, digits and inner dashes, at most ${MAX_LENGTH}, a letter first`;

/** The usual region of deployments, by AWS's name, which platforms know or have their own for. */
export const DEFAULT_REGION = "us-east-1";

/** The list of deployments, unless the user names another. */
export const DEPLOYMENTS_FILE: string = join(repositoryRoot, "deployments.json");

/** Writes the option that names a list of deployments, for the end of a command; nothing for the usual file. */
export function fileOption(file: string): string {
  return resolve(file) === DEPLOYMENTS_FILE ? "" : ` ${shellOption("--deployments", file)}`;
}

/** Writes the option that measures what a list of deployments has. */
export function deployedOption(file: string): string {
  return resolve(file) === DEPLOYMENTS_FILE ? "--deployed" : shellOption("--deployed", file);
}
