import { expect, test } from "vitest";
import { type KitRoute, routesOf } from "./own-routes.ts";

const route = (id: string, others: Partial<KitRoute> = {}): KitRoute => ({
  id,
  isAnswered: true,
  prerender: false,
  hasIsr: false,
  ...others,
});

test("routes are dynamic, prerendered or ISR, without groups and without folders that only have a layout", () => {
  const routes = routesOf({
    routes: [
      route("/"),
      route("/(site)", { isAnswered: false }),
      route("/(site)/about", { prerender: true }),
      route("/blog/[slug]", { prerender: "auto" }),
      route("/news", { hasIsr: true }),
      route("/found", { prerender: "auto" }),
    ],
    prerendered: ["/about", "/found", "/blog/a"],
    files: ["favicon.svg"],
  });
  expect(routes.map(({ path, kind }) => [path, kind])).toEqual([
    ["/", "dynamic"],
    ["/about", "prerendered"],
    ["/blog/[slug]", "dynamic"],
    ["/news", "isr"],
    ["/found", "prerendered"],
    ["/favicon.svg", "static"],
  ]);
  expect(routes[2]?.note).toBe("Paths that the build found are prerendered.");
  expect(routes[2]?.prerendered).toEqual(["/blog/a"]);
});
