import { ALL_CASES } from "../../suite-options.ts";
import { listSuites } from "../../suites.ts";

/** Names of all suites. */
export default async (): Promise<readonly string[]> => [
  ...(await listSuites()).map(({ name }) => name),
  ALL_CASES,
];
