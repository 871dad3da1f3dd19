/** The little of Deno that its server needs. */
declare const Deno: {
  serve(
    options: {
      hostname: string;
      port: number;
      /** Whether other processes may listen on the port, too. */
      reusePort: boolean;
      onListen(): void;
    },
    handler: (request: Request) => Response | Promise<Response>,
  ): {
    /** Takes no more connections; resolves when what is in flight is answered. */
    shutdown(): Promise<void>;
  };
};
