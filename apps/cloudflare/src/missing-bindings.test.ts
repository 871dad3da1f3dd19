import { expect, test, vi } from "vitest";
import { refusingBindings } from "./missing-bindings.ts";

interface Environment {
  readonly BLOG: { get(key: string): Promise<string> };
  readonly NAME: string;
}

const BINDINGS = [{ name: "BLOG", kind: "KV namespace" }];

async function handler(request: Request, { BLOG, NAME }: Environment): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/none") {
    return new Response(`hello ${NAME}`);
  }
  if (pathname === "/caught") {
    return new Response(await BLOG.get("a").catch(() => "caught"));
  }
  return new Response(await BLOG.get("a"));
}

const answer = refusingBindings(handler as never, BINDINGS);
const ask = async (path: string) =>
  await answer(new Request(`http://app.test${path}`), { NAME: "you" } as never, {} as never);

test("a path that uses no binding is answered as it is, with the variables that are there", async () => {
  const response = await ask("/none");
  expect([response.status, await response.text()]).toEqual([200, "hello you"]);
});

test.each(["/thrown?a=b", "/caught"])(
  "a path that uses one is refused by its name, whatever the app makes of it: %s",
  async (path) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await ask(path);
    expect(response.status).toBe(501);
    const [asked] = path.split("?");
    expect(await response.text()).toContain(`GET ${asked} uses the KV namespace BLOG`);
    expect(log).toHaveBeenCalledOnce();
  },
);

test("an error of the app's own stays one", async () => {
  const failing = refusingBindings(() => {
    throw new Error("its own");
  }, BINDINGS);
  await expect(failing(new Request("http://app.test/"), {} as never, {} as never)).rejects.toThrow("its own");
});
