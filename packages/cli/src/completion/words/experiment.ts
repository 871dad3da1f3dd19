import { discoverExperiments } from "@evenbench/experiments";

/** Ids of all experiments. */
export default async (): Promise<readonly string[]> => [
  ...(await discoverExperiments()).map(({ id }) => id),
  "all",
];
