declare module "#behind/function" {
  type Handler =
    | import("./instance.ts").Invoke
    | { fetch(request: Request, ...rest: unknown[]): Promise<Response> };
  const exported: Handler | { default: Handler };
  export default exported;
}
