// The frameworks' apps on all platforms. They answer in words of their own to what is wrong.
import { type CaseManifest, findRenderMarker } from "@evenbench/core";
import { expect, test } from "vitest";
import { type Served, targets, testApp, text } from "./apps.ts";
import { exchange } from "./exchange.ts";

const built = Map.groupBy(
  targets.filter(({ app }) => app !== "bundle"),
  ({ app }) => app,
);

test("frameworks' apps have been built for several platforms, so that there is something to compare", () => {
  expect(built.size).toBeGreaterThan(0);
  for (const targetsOfApp of built.values()) {
    expect(targetsOfApp.length).toBeGreaterThan(1);
  }
});

for (const app of built.keys()) {
  testApp(app, testPages);
}

function testPages(served: Served, cases: readonly CaseManifest[]): void {
  const pages = cases.filter(({ page }) => page !== null);

  test.each(pages)("$path is rendered in production, by an instance that counts", async ({ path }) => {
    for (const { host } of served) {
      const bodies = [await exchange(host.url, path), await exchange(host.url, path)].map(text);
      for (const body of bodies) {
        expect(body).toContain("built for production, running in production");
      }
      const [first, second] = bodies.map(findRenderMarker);
      expect(second).toMatchObject({ instanceId: first?.instanceId, served: (first?.served ?? 0) + 1 });
    }
  });

  test.each(pages.slice(0, 1))(
    "the scripts of $path are served as files on all platforms",
    async ({ path }) => {
      for (const { host } of served) {
        const body = text(await exchange(host.url, path));
        const script = /"(\.?\/_[^"]+\.js)"/.exec(body)?.[1];
        // A framework may have nothing to run in the browser.
        if (script === undefined) {
          expect(body).not.toMatch(/<script[^>]* src=|\bimport\(/);
          continue;
        }
        const file = await exchange(host.url, new URL(script, `${host.url}/`).pathname);
        expect([file.status, file.headers["content-type"]]).toEqual([
          200,
          expect.stringMatching(/^(text|application)\/javascript/),
        ]);
        expect(file.body.byteLength).toBeGreaterThan(0);
      }
    },
  );
}
