import type { Answer, RecordedRequest } from "@evenbench/deploy/testing";

/** Makes the part of Vercel's API that the CLI asks, over a team with these projects. */
export function vercelApi(projects: Set<string>, failDeployments = { left: 0 }) {
  const uploaded = new Map<string, Buffer>();
  const answer = ({ method, path, headers, body }: RecordedRequest): Answer => {
    const { pathname } = new URL(path, "http://api");
    const team = { id: "team_1", slug: "somebody", name: "Somebody" };
    const notFound: Answer = [404, { error: { code: "not_found", message: "Project not found" } }];
    const project = (name: string) => ({ id: `prj_${name}`, name, accountId: "team_1" });
    const person = { id: "u", username: "somebody", email: "s@example.com" };
    if (pathname === "/v2/user") {
      return [200, { user: { ...person, version: "northstar", defaultTeamId: "team_1" } }];
    }
    if (/^\/(v\d\/)?teams$/.test(pathname)) {
      return [200, { teams: [team], pagination: { count: 1, next: null, prev: null } }];
    }
    if (/^\/teams\/[\w-]+$/.test(pathname)) {
      return [200, team];
    }
    if (pathname.endsWith("/custom-environments")) {
      return [200, { environments: [] }];
    }
    if (pathname.endsWith("/env")) {
      return method === "POST" ? [201, { created: {}, failed: [] }] : [200, { envs: [] }];
    }
    if (method === "POST" && /\/projects$/.test(pathname)) {
      const { name } = JSON.parse(body.toString());
      projects.add(name);
      return [200, project(name)];
    }
    const projectName = /\/projects\/(?:prj_)?([\w-]+)$/.exec(pathname)?.[1];
    if (projectName !== undefined) {
      if (method === "DELETE") {
        return projects.delete(projectName) ? [204, {}] : notFound;
      }
      return projects.has(projectName) ? [200, project(projectName)] : notFound;
    }
    if (method === "POST" && pathname === "/v2/files") {
      uploaded.set(headers.get("x-now-digest") ?? "", body);
      return [200, {}];
    }
    if (method === "POST" && pathname === "/v13/deployments") {
      if (failDeployments.left-- > 0) {
        return [400, { error: { code: "bad_request", message: "broken on purpose" } }];
      }
      const { files, name } = JSON.parse(body.toString()) as { files: { sha: string }[]; name: string };
      const missing = [...new Set(files.map(({ sha }) => sha))].filter((sha) => sha && !uploaded.has(sha));
      if (missing.length > 0) {
        return [400, { error: { code: "missing_files", message: "Missing files", missing } }];
      }
      return [200, deploymentOf(name)];
    }
    if (pathname.startsWith("/v13/deployments/")) {
      const name = /deployments\/(?:dpl_)?([\w-]+?)(?:-1)?$/.exec(pathname)?.[1] ?? "";
      return pathname.includes("dpl_") ? [200, deploymentOf(name)] : notFound;
    }
    return [200, {}];
  };
  return { answer, uploaded };
}

function deploymentOf(name: string) {
  const ids = { id: `dpl_${name}`, projectId: `prj_${name}`, ownerId: "team_1" };
  const alias = [`${name}-somebody.vercel.app`];
  const state = { alias, aliasAssigned: true, readyState: "READY", target: "production", createdAt: 1 };
  return { ...ids, name, url: `${name}-1-somebody.vercel.app`, ...state };
}
