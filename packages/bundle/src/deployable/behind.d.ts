declare module "#behind/artifact" {
  export const createHandler: import("../index.ts").CreateHandler;
}
declare module "#behind/handler" {
  const handler: { fetch(request: Request): Response | Promise<Response> };
  export default handler;
}
