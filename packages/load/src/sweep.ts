import type { OfferedLoad } from "@evenbench/core";
import { interleave } from "@evenbench/probe";
import { lengthOf } from "./plan/stage-time.ts";
import type { SetLoad } from "./set-load.ts";

/** Every load on every subject, in one random order over both: what drifts meanwhile hits all alike. */
export async function sweep(set: SetLoad, loads: readonly OfferedLoad[]): Promise<void> {
  const cells = set.subjects.flatMap((subject) => loads.map((load) => ({ subject, load })));
  const { stageMs } = set.work.session.plan;
  for (const { subject, load } of interleave(cells, set.seedOf("order"))()) {
    await set.stage(subject, load, stageMs * lengthOf(load));
  }
}
