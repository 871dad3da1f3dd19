declare const Deno: {
  serve(
    options: {
      hostname: string;
      port: number;
      reusePort: boolean;
      onListen(): void;
    },
    handler: (request: Request) => Response | Promise<Response>,
  ): {
    shutdown(): Promise<void>;
  };
};
