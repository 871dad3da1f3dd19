/** The handler that the app's build made: a function as Node.js has it, or an object with a web-standard `fetch`. */
declare module "#behind/function" {
  type Handler =
    | import("./functions.ts").Invoke
    | { fetch(request: Request, ...rest: unknown[]): Promise<Response> };
  const exported: Handler | { default: Handler };
  export default exported;
}
