import { createServer } from 'node:net';

/** Finds a free TCP port on 127.0.0.1. Another process may take it before it is used, so callers must be able to retry. */
export function findFreePort(): Promise<number> {
  return bind(0);
}

/** Whether a port on 127.0.0.1 is free at the moment. */
export async function isPortFree(port: number): Promise<boolean> {
  return bind(port).then(
    () => true,
    () => false,
  );
}

function bind(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
