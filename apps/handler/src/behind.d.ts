/** The user's module, bundled once for all platforms. */
declare module "#behind/own-handler" {
  const handler: { fetch(request: Request, env: unknown, context: unknown): Response | Promise<Response> };
  export default handler;
}
