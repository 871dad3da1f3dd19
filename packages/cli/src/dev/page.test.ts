import type { Platform } from "@evenbench/core";
import { marksIn, marksOf } from "@evenbench/report/testing/colours";
import { expect, test } from "vitest";
import { renderPage } from "./page.ts";
import type { DevServer } from "./server.ts";
import type { DevTarget } from "./targets.ts";

/** As much of a server as the page shows. */
function serverOf(name: string, platform: string | null): DevServer {
  const app = { id: "bundle", title: "Handler cases" } as DevTarget["app"];
  const target: DevTarget = {
    name,
    app,
    platform: platform === null ? null : ({ id: platform } as Platform),
  };
  return { target, url: "http://127.0.0.1:1", state: { is: "up" } } as DevServer;
}

test("the page marks each platform with the colour that it has in reports, and a framework's server with none", () => {
  const names = ["vercel", "bun", "node"];
  const servers = [...names.map((name) => serverOf(name, name)), serverOf("next", null)];
  const none = { leftOut: [], buildError: null, cases: new Map(), checks: new Map() };
  expect(marksIn(renderPage({ servers, ...none }))).toEqual(marksOf(names));
});
