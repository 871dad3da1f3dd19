import { existsSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { beforeAll, describe, expect, test } from "vitest";
import { faultsOf, inBrowser, NO_FAULTS, openAt } from "../../test/browser.ts";
import { onMachine, withRuntime, writeNight } from "../../test/synthetic.ts";
import { createSite } from "../index.ts";

/** Where a host keeps the gallery: below a path, as project pages are. */
const BASE = "http://pages.test/someone/evenbench/";
const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak";

describe("a gallery in a browser", inBrowser, () => {
  const [results, out] = [testFolder(), testFolder()];
  beforeAll(async () => {
    await writeNight(results, 1, onMachine(`Another processor${text}`), { text });
    await writeNight(results, 2);
    await writeNight(results, 3, withRuntime("cloudflare", "workerd 2.0"));
    await createSite([results], out);
  });

  /** A host that has nothing but the gallery's files. */
  const fileAt = (url: string) => {
    const path = join(out, url.slice(BASE.length).split("#")[0] ?? "");
    return url.startsWith(BASE) && existsSync(path) ? { path } : null;
  };

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "fits, loads nothing from elsewhere, and axe finds no violation, in %s mode at %i pixels",
    async (scheme, width) => {
      for (const page of ["index.html", "archive.html", "case/trig.html"]) {
        const opened = await openAt(BASE + page, fileAt, width, scheme);
        expect([page, await faultsOf(opened)]).toEqual([page, NO_FAULTS]);
      }
    },
  );
});
