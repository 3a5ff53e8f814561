import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PROXY_SOCKET } from '../contained/sandbox-settings.js';
import { parseNetworks } from '../request/addresses.js';
import type { AddressRule } from '../request/guarded-request.js';
import { CommandProxy, type CommandConnection } from './command-proxy.js';

export const loopback = parseNetworks(['127.0.0.0/8']);

/**
 * Address of the counting server. On 127.0.0.1, its port could be one at which another process of this machine expects a service of its
 * own: the supervisor of another spec sends readiness probes, which would be counted as well.
 */
export const SERVER_ADDRESS = '127.0.0.3';

/** Resolves the given names, and no others, and counts how often each was resolved. */
export function resolveTo(names: Readonly<Record<string, string | readonly string[]>>): {
  readonly resolve: NonNullable<AddressRule['resolve']>;
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: (name) => {
      asked.push(name);
      const found = names[name.replace(/\.$/, '')];
      if (found === undefined) return Promise.reject(new Error(`${name} has no address in this spec`));
      return Promise.resolve([found].flat().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    },
  };
}

/** A server of HTTP that counts the bytes on its connections. */
export interface CountingServer {
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  readonly sockets: Socket[];
}

export async function startCountingServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) => response.end('an answer\n'),
): Promise<CountingServer> {
  const requests: CountingServer['requests'] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ url: request.url!, headers: request.headers, body });
      answer(response, request);
    });
  });
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, SERVER_ADDRESS, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, sockets };
}

export interface ProxyBench {
  readonly connections: CommandConnection[];
  readonly proxy: CommandProxy;
  /** Sends bytes to the proxy and returns everything it answers until it closes the connection. */
  exchange(text: string): Promise<string>;
  open(): Socket;
}

/** Starts a proxy that resolves names as given. */
export async function startProxy(network: readonly string[], addresses: AddressRule): Promise<ProxyBench> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-spec-'));
  const connections: CommandConnection[] = [];
  const proxy = await CommandProxy.start(folder, { network, addresses }, (one) => connections.push(one));
  onTestFinished(async () => {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (): Socket => connect(join(folder, PROXY_SOCKET)).on('error', () => undefined);
  return {
    connections,
    proxy,
    open,
    exchange: (text) =>
      new Promise((resolve) => {
        const socket = open();
        let received = '';
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
        socket.on('close', () => resolve(received));
        socket.write(text);
      }),
  };
}
