import {
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { chmod, mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { PROXY_SOCKET } from '../contained/sandbox-settings.js';
import { checkUrl, createGuardedLookup, type AddressRule } from '../request/guarded-request.js';
import { isAllowedHost } from './allow-list.js';

/** Maximum number of connections of one command. Each is recorded, so a command that makes more is refused the rest. */
const MAX_CONNECTIONS = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;
/**
 * Headers that concern the connection to the proxy, not the request. `Host` is set from the URL, which was checked: with another one, a
 * server of many names would answer for a host that is not on the list.
 */
const OWN_HEADERS = ['host', 'proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'te', 'upgrade'];

/** A connection that a command made or tried to make. */
export interface CommandConnection {
  readonly host: string;
  readonly port: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly outcome: 'allowed' | 'refused' | 'failed';
  /** Why it was refused or failed. */
  readonly reason?: string;
}

export interface ProxyRule {
  /** Hosts that may be reached, such as `registry.example`, `*.example` or `host.example:8080`. */
  readonly network: readonly string[];
  readonly addresses: AddressRule;
}

/**
 * The only way from a command to the network: an HTTP proxy on a socket in a folder that the command sees. It resolves names
 * itself, connects only to hosts on the list whose addresses are public, and reports every connection when it ends.
 */
export class CommandProxy {
  private readonly server: Server;
  private readonly open = new Set<Duplex>();
  private connections = 0;

  private constructor(
    private readonly rule: ProxyRule,
    private readonly onConnection: (connection: CommandConnection) => void,
  ) {
    this.server = createServer((incoming, response) => this.forward(incoming, response));
    this.server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) =>
      this.tunnel(incoming, socket, head),
    );
    this.server.on('clientError', (_error, socket) => socket.destroy());
    this.server.on('connection', (socket) => {
      this.open.add(socket);
      socket.on('error', () => undefined).on('close', () => this.open.delete(socket));
    });
  }

  /** Starts a proxy whose socket is in `folder`. `onConnection` is called for each connection, also for refused ones. */
  static async start(
    folder: string,
    rule: ProxyRule,
    onConnection: (connection: CommandConnection) => void,
  ): Promise<CommandProxy> {
    const proxy = new CommandProxy(rule, onConnection);
    await mkdir(folder, { recursive: true });
    const path = join(folder, PROXY_SOCKET);
    await new Promise<void>((resolve, reject) => {
      proxy.server.once('error', reject);
      proxy.server.listen(path, resolve);
    });
    // Only who reaches the folder can connect; the user of the command may be another than that of this process.
    await chmod(path, 0o666);
    return proxy;
  }

  /** Ends all connections, each of which is reported before this resolves. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    const ended = [...this.open].map(
      (socket) => new Promise<void>((resolve) => (socket.destroyed ? resolve() : void socket.once('close', resolve))),
    );
    for (const socket of this.open) socket.destroy();
    await Promise.all([closed, ...ended]);
  }

  private tunnel(incoming: IncomingMessage, client: Socket, head: Buffer): void {
    const target = parseAuthority(incoming.url ?? '');
    if (!target) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const refusal = this.findRefusal(target);
    if (refusal !== undefined) {
      this.report(target, 'refused', refusal);
      client.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n${refusal}\n`);
      return;
    }
    const { host, port } = target;
    const server = connect({
      host,
      port,
      lookup: createGuardedLookup(this.rule.addresses),
      timeout: CONNECT_TIMEOUT_MS,
    });
    this.open.add(server);
    let failure: Error | undefined;
    let isConnected = false;
    server.on('connect', () => {
      isConnected = true;
      server.setTimeout(0);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      client.pipe(server).pipe(client);
    });
    server.on('timeout', () => server.destroy(new Error('the connection timed out')));
    server.on('error', (error) => {
      failure = error;
      if (!isConnected && client.writable) client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${error.message}\n`);
    });
    server.on('close', () => {
      this.open.delete(server);
      this.report(target, toOutcome(isConnected, failure), isConnected ? undefined : failure?.message, server);
      client.destroy();
    });
    client.on('close', () => server.destroy());
  }

  private forward(incoming: IncomingMessage, response: ServerResponse): void {
    const url = parseUrl(incoming.url ?? '');
    const target = url && { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80), url };
    if (!target || target.url.protocol !== 'http:')
      return void response.writeHead(400).end('expected CONNECT, or a request with a complete http URL\n');
    const refusal = this.findRefusal(target);
    if (refusal !== undefined) {
      this.report(target, 'refused', refusal);
      return void response.writeHead(403, { 'content-type': 'text/plain' }).end(`${refusal}\n`);
    }
    let socket: Socket | undefined;
    let isConnected = false;
    let failure: Error | undefined;
    const own = new Set([...OWN_HEADERS, ...(incoming.headers.connection ?? '').toLowerCase().split(/[\s,]+/)]);
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !own.has(name)));
    const sent = sendRequest(target.url, {
      method: incoming.method,
      headers,
      // A connection is of one request, so that each is reported.
      agent: false,
      lookup: createGuardedLookup(this.rule.addresses),
      timeout: CONNECT_TIMEOUT_MS,
    });
    sent.on('socket', (opened) => {
      socket = opened;
      this.open.add(opened);
      opened.on('connect', () => (isConnected = true));
    });
    sent.on('timeout', () => sent.destroy(new Error('the connection timed out')));
    sent.on('response', (answer) => {
      const { connection: _connection, 'transfer-encoding': _encoding, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    sent.on('error', (error) => {
      failure = error;
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(`${error.message}\n`);
    });
    sent.on('close', () => {
      if (socket) this.open.delete(socket);
      this.report(target, toOutcome(isConnected, failure), isConnected ? undefined : failure?.message, socket);
    });
    response.on('close', () => sent.destroy());
    incoming.pipe(sent);
  }

  /** Returns why a connection is refused, or undefined. Counts it. */
  private findRefusal({ host, port }: Target): string | undefined {
    this.connections += 1;
    if (this.connections > MAX_CONNECTIONS) return `a command can make at most ${MAX_CONNECTIONS} connections`;
    if (!isAllowedHost(this.rule.network, host, port))
      return `${host}:${port} is not in the network settings of this agent`;
    try {
      checkUrl(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`), this.rule.addresses);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private report(
    { host, port }: Target,
    outcome: CommandConnection['outcome'],
    reason?: string,
    socket?: Socket,
  ): void {
    // Refusals beyond the maximum would fill the log.
    if (this.connections > MAX_CONNECTIONS + 1) return;
    this.onConnection({
      host: host.slice(0, 255),
      port,
      // A socket also counts what it would have sent.
      bytesSent: outcome === 'allowed' ? (socket?.bytesWritten ?? 0) : 0,
      bytesReceived: socket?.bytesRead ?? 0,
      outcome,
      ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
    });
  }
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function toOutcome(isConnected: boolean, failure: Error | undefined): CommandConnection['outcome'] {
  if (isConnected) return 'allowed';
  // An address that the guard refused is known only after the name was resolved.
  return (failure as { code?: string } | undefined)?.code === 'private_address' ? 'refused' : 'failed';
}

/** Parses the target of CONNECT: a host and a port, and nothing else. */
function parseAuthority(text: string): Target | undefined {
  const port = Number(/^(?:[^\s/?#@\\:[\]]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(text)?.[1] ?? NaN);
  // Normalises the host as in a URL, so that an address has one spelling.
  const url = parseUrl(`http://${text}`);
  return url && port >= 1 && port <= 65_535 ? { host: url.hostname.replace(/^\[|\]$/g, ''), port } : undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
