import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TcpProxy } from './tcp-proxy.js';

let echo: Server;
let proxy: TcpProxy;
const sockets: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await TcpProxy.start((echo.address() as { port: number }).port);
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

async function connectThroughProxy(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(proxy.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => text };
}

it('forwards data, with a delay once one is set', async () => {
  const { socket, received } = await connectThroughProxy();
  socket.write('one');
  await expect.poll(received).toBe('one');
  proxy.setDelay(100);
  const since = performance.now();
  socket.write(' two');
  await expect.poll(received).toBe('one two');
  // The delay applies in both directions; a timer may fire a little early.
  expect(performance.now() - since).toBeGreaterThan(190);
});

it('cuts connections and refuses new ones until it passes again', async () => {
  const { socket } = await connectThroughProxy();
  const closed = once(socket, 'close');
  proxy.setMode('cut');
  await closed;
  const refused = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await once(refused, 'close');
  proxy.setMode('pass');
  const restored = await connectThroughProxy();
  restored.socket.write('hello');
  await expect.poll(restored.received).toBe('hello');
});

it('discards data of open connections forever, and forwards new ones once it passes again', async () => {
  const { socket, received } = await connectThroughProxy();
  socket.write('before');
  await expect.poll(received).toBe('before');
  proxy.setMode('swallow');
  socket.write('during');
  proxy.setMode('pass');
  socket.write('after');
  const fresh = await connectThroughProxy();
  fresh.socket.write('new');
  await expect.poll(fresh.received).toBe('new');
  expect(received()).toBe('before');
  expect(socket.destroyed).toBe(false);
});
