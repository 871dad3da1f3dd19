import { expect, test } from "vitest";
import type { Attribution } from "./attribution.ts";
import type { CpuProfile } from "./inspector.ts";
import { selfTime } from "./self-time.ts";

/** Samples of functions of files: "render@a.js" is at the first line of a.js, "(idle)" in none. */
function profileOf(samples: Readonly<Record<string, number>>): CpuProfile {
  const nodes = Object.keys(samples).map((text, id) => {
    const [functionName = "", url = ""] = text.split("@");
    const at = url === "" ? -1 : 0;
    return { id, callFrame: { functionName, scriptId: "0", url, lineNumber: at, columnNumber: at } };
  });
  const ids = Object.values(samples).flatMap((count, id) => new Array<number>(count).fill(id));
  return { nodes, startTime: 0, endTime: 1, samples: ids, timeDeltas: [] };
}

const BY_FILE: Attribution = {
  ownerOf: ({ url }) => (url === "" ? { kind: "runtime", name: "others" } : { kind: "package", name: url }),
  fileOf: (url) => `src/${url}`,
};

test("samples are added up by package and function, the largest first; idle ones are no part of the shares", () => {
  const samples = {
    "(root)": 1,
    "read@b.js": 2,
    "render@a.js": 3,
    "(garbage collector)": 4,
    "parse@a.js": 6,
  };
  const found = selfTime(profileOf({ ...samples, "(idle)": 100 }), BY_FILE);
  expect(found).toMatchObject({ samples: 116, busySamples: 16, collectorShare: 0.25, unattributedShare: 0 });
  expect(found.rows).toEqual([
    { kind: "package", name: "a.js", samples: 9, share: 9 / 16 },
    { kind: "collector", name: "garbage collector", samples: 4, share: 4 / 16 },
    { kind: "package", name: "b.js", samples: 2, share: 2 / 16 },
    { kind: "program", name: "program", samples: 1, share: 1 / 16 },
    { kind: "idle", name: "idle", samples: 100, share: null },
  ]);
  expect(found.functions.map(({ functionName, place }) => [functionName, place])).toEqual([
    ["parse", "src/a.js:1:1"],
    ["(garbage collector)", ""],
    ["render", "src/a.js:1:1"],
    ["read", "src/b.js:1:1"],
    ["(root)", ""],
  ]);
});

test("a function that is named like a part of every object is a function", () => {
  const { rows } = selfTime(profileOf({ constructor: 3 }), BY_FILE);
  expect(rows).toEqual([{ kind: "runtime", name: "others", samples: 3, share: 1 }]);
});

test("a profile without samples has no shares", () => {
  const nothing = { samples: 0, busySamples: 0, rows: [], functions: [], collectorShare: 0 };
  expect(selfTime(profileOf({}), BY_FILE)).toMatchObject(nothing);
});
