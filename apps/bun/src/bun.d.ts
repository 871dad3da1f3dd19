/** Bun's own types (@types/bun) would take the place of Node.js' in the whole repository. */
declare const Bun: {
  serve(options: {
    fetch(request: Request): Response | Promise<Response>;
    hostname: string;
    port: number;
    /** How long idle connections are kept, in seconds; at most 255. */
    idleTimeout: number;
    reusePort: boolean;
  }): {
    stop(): Promise<void>;
  };
};
