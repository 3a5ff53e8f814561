import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nobody listens on at this moment. Somebody may take it before its user does: be ready to try again. */
export function freePort(): Promise<number> {
  return bind(0);
}

/** Whether 127.0.0.1:`port` can be bound right now. */
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
