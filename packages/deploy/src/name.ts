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
