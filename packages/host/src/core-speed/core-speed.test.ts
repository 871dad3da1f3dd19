import { expect, test } from "vitest";
import { CoreSpeed, isWorthGauging } from "./core-speed.ts";

const asked = { name: "node" };

/**
 * A target that runs on one of these cores after the other; the loop takes 1, 2, 3 … ms, and there is none on
 * core 9.
 */
function speedOn(...cores: (number | null)[]) {
  const prepared: number[] = [];
  const gauge = {
    readings: 0,
    async prepare(core: number) {
      prepared.push(core);
    },
    async on(core: number) {
      gauge.readings += 1;
      return core === 9 ? null : gauge.readings;
    },
  };
  const left = [...cores];
  const meter = () => ({ cpuMs: 7, minorFaults: 0, core: left.shift() ?? null });
  return { speed: new CoreSpeed(meter, gauge), prepared, gauge };
}

/** Plays one exchange as a round does. */
async function costOf(speed: CoreSpeed) {
  const gauged = speed.gauged(asked);
  await gauged.beforeExchange?.();
  return gauged.readCost?.();
}

test("an exchange's gauge is the mean of what the loop takes before and after it, on the core that answers", async () => {
  const { speed } = speedOn(1, 1, 1);
  speed.readCost();
  expect(await costOf(speed)).toEqual({ cpuMs: 7, minorFaults: 0, gaugeMs: (1 + 2) / 2 });
  expect(await costOf(speed)).toMatchObject({ gaugeMs: (3 + 4) / 2 });
});

test("a target that moved to another core is gauged on that one, after its exchange", async () => {
  const { speed } = speedOn(1, 2);
  speed.readCost();
  expect(await costOf(speed)).toMatchObject({ gaugeMs: 2 });
});

test("a target whose core is not known, or cannot be gauged, has its costs alone", async () => {
  for (const cores of [
    [null, null],
    [9, 9],
  ]) {
    const { speed } = speedOn(...cores);
    speed.readCost();
    expect(await costOf(speed)).toEqual({ cpuMs: 7, minorFaults: 0 });
  }
});

test("the core that the target ran on last is prepared, and none before it is known", async () => {
  const { speed, prepared } = speedOn(1);
  await speed.prepare();
  speed.readCost();
  await speed.prepare();
  expect(prepared).toEqual([1]);
});

test.each([
  ["shorter than 5 ms", [4.9, 4.9, 4.9], false],
  ["of 5 to 60 ms", [5, 20, 60], true],
  ["longer than 60 ms", [61, 61], false],
  ["around 5 ms: both sides alike, by their geometric mean", [4.8, 5.3], true],
  ["around 60 ms", [50, 80], false],
  ["of no target", [], false],
])("requests %s are gauged or not for a whole case: %j %s", (_, timesMs, expected) => {
  expect(isWorthGauging(timesMs)).toBe(expected);
});

test("where no core is gauged a target is asked as it is", async () => {
  const speed = new CoreSpeed(() => ({ cpuMs: 7, minorFaults: 0, core: 1 }), null);
  await speed.prepare();
  expect(speed.gauged(asked)).toBe(asked);
  expect(speed.readCost()).toEqual({ cpuMs: 7, minorFaults: 0 });
});
