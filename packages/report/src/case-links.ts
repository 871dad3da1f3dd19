import { openRecord, sourceOfCase } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import type { CaseReport } from "./data.ts";
import { repeatCommand } from "./repeat.ts";
import { isOfStrangers } from "./same-work.ts";

/** Where the source of a case is, and how it is measured again. */
export interface CaseLinks {
  /** In the repository; null of servers that know nothing of Evenbench. */
  readonly path: string | null;
  /**
   * The same at the commit that was measured; null where nobody knows where that can be read, or files
   * differed from it.
   */
  readonly url: string | null;
  /** Measures this case alone again. */
  readonly command: string;
}

export function caseLinks(
  { manifest, targets }: Pick<CaseReport, "manifest" | "targets">,
  run: Run,
): CaseLinks {
  const { plan, source } = run;
  const own = plan.targets.filter(({ name }) => targets.includes(name));
  const path = isOfStrangers(plan) ? null : (manifest.source ?? sourceOfCase(own[0]?.app ?? "", manifest.id));
  const isKnown = path !== null && source?.repository != null && !source.changed;
  const ms = plan.caseBudgetMs[manifest.id];
  const alone = {
    ...plan,
    cases: [manifest],
    targets: own,
    caseBudgetMs: ms === undefined ? openRecord<number>() : { [manifest.id]: ms },
  };
  return {
    path,
    url: isKnown ? `${source.repository}/blob/${source.commit}/${path}` : null,
    command: repeatCommand({ ...run, plan: alone }),
  };
}
