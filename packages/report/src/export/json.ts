import { DETAILS_FILE, FACTS_FILE, SUMMARY_FILE } from "@evenbench/results";
import type { Exporter } from "./exporter.ts";

/** The numbers, for programs: docs/schema/summary.schema.json says what is in it. */
export const json: Exporter = {
  file: SUMMARY_FILE,
  render: ({ summary }) => `${JSON.stringify(summary, null, 2)}\n`,
};

/** What the run found, for programs: docs/schema/facts.schema.json says what is in it. */
export const factsJson: Exporter = {
  file: FACTS_FILE,
  render: ({ facts }) => `${JSON.stringify(facts)}\n`,
};

/** What the page shows beside the facts. */
export const detailsJson: Exporter = {
  file: DETAILS_FILE,
  render: ({ details }) => `${JSON.stringify(details)}\n`,
};
