import { expect, test } from "vitest";
import { describeRoutes } from "./own-routes.ts";

test("paths are those of pages and of modules that answer, below their layouts; a file is a page that was rendered ahead", () => {
  const printed = [
    {
      path: "",
      children: [
        { index: true },
        { children: [{ path: "about" }] },
        { path: "posts", children: [{ index: true }, { path: ":slug" }] },
        { path: "*" },
      ],
    },
  ];
  const routes = describeRoutes(printed, (path) => path === "/about/index.html");
  expect(routes.map(({ path, kind }) => [path, kind])).toEqual([
    ["/", "dynamic"],
    ["/about", "prerendered"],
    ["/posts", "dynamic"],
    ["/posts/:slug", "dynamic"],
    ["/*", "dynamic"],
  ]);
});
