import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ListenFailed } from '../startup-error.js';

/** @returns the base URL */
export async function listen(app: NestFastifyApplication, host: string, port: number): Promise<string> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === 'listen' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new ListenFailed(host, port, { cause: error });
    throw error;
  }
  const address = (app.getHttpServer() as Server).address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

/**
 * Takes no more connections, lets the requests end that are being answered, and after `patienceMs` cuts those that are left:
 * event streams would otherwise last for ever.
 */
export async function closeServer(app: NestFastifyApplication, patienceMs: number): Promise<void> {
  const server = app.getHttpServer() as Server;
  if (!server.listening) return;
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs);
  // A kept-alive connection whose request ends during the shutdown is idle from then on, and nobody else closes it.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  try {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  } finally {
    clearTimeout(cut);
    clearInterval(sweep);
  }
}
