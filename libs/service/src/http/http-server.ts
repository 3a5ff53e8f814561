import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ListenFailed } from '../startup-error.js';

/**
 * Starts listening and returns the base URL.
 * @throws ListenFailed
 */
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
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`;
}

/**
 * Stops accepting connections and waits for open requests. Closes the connections that remain after `timeoutMs`, because event
 * streams would otherwise never end.
 */
export async function closeServer(app: NestFastifyApplication, timeoutMs: number): Promise<void> {
  const server = app.getHttpServer() as Server;
  if (!server.listening) return;
  const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // A keep-alive connection whose request ends during the shutdown becomes idle, and Node does not close it.
  const idleCloser = setInterval(() => server.closeIdleConnections(), 20);
  try {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  } finally {
    clearTimeout(timeout);
    clearInterval(idleCloser);
  }
}
