import type { Answer, RecordedRequest } from "@evenbench/deploy/testing";

/** Makes the part of Cloudflare's API that wrangler asks, over an account with these Workers. */
export function cloudflareApi(workers: Set<string>, failUploads = { left: 0 }) {
  return ({ method, path }: RecordedRequest): Answer => {
    const answer = (status: number, result: unknown, ...errors: object[]): Answer => {
      return [status, { success: errors.length === 0, errors, messages: [], result }];
    };
    const result = (value: unknown) => answer(200, value);
    const refused = (status: number, code: number, message: string) =>
      answer(status, null, { code, message });
    const notThere = refused(404, 10090, "This Worker does not exist");
    const { pathname } = new URL(path, "http://api");
    const name = /\/workers\/(?:services|scripts|workers)\/([\w-]+)/.exec(pathname)?.[1] ?? "";
    if (method === "DELETE") {
      return workers.delete(name) ? result(null) : notThere;
    }
    if (/\/scripts\/[\w-]+$/.test(pathname) && method === "PUT") {
      if (failUploads.left-- > 0) {
        return refused(400, 10013, "broken on purpose");
      }
      workers.add(name);
      return result({ id: name, etag: "etag", deployment_id: "deployment", startup_time_ms: 7 });
    }
    // What there is already gets a new version, which then is deployed.
    if (/\/scripts\/[\w-]+\/versions$/.test(pathname) && method === "POST") {
      const id = "00000000-0000-4000-8000-000000000000";
      return result({ id, resources: { script: { etag: "etag" } }, startup_time_ms: 7 });
    }
    if (/\/services\/[\w-]+$/.test(pathname)) {
      const environment = { environment: "production", script: { last_deployed_from: "wrangler" } };
      return workers.has(name) ? result({ id: name, default_environment: environment }) : notThere;
    }
    if (pathname.endsWith("/assets-upload-session")) {
      return result({ jwt: "assets", buckets: [] });
    }
    if (pathname.includes("/workers/workers/")) {
      return result({ id: name, name, subdomain: { enabled: true, previews_enabled: false }, tags: [] });
    }
    if (pathname.endsWith("/deployments")) {
      return result({ deployments: [] });
    }
    if (pathname.endsWith("/secrets") && !workers.has(name)) {
      return notThere;
    }
    if (pathname.endsWith("/workers/subdomain")) {
      return result({ subdomain: "somebody" });
    }
    if (pathname.endsWith("/subdomain")) {
      return result({ enabled: true, previews_enabled: false });
    }
    return result([]);
  };
}
