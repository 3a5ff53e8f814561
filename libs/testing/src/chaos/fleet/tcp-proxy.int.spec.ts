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

async function open(): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(proxy.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, heard: () => text };
}

it('passes on, and slowly when it is told to', async () => {
  const { socket, heard } = await open();
  socket.write('one');
  await expect.poll(heard).toBe('one');
  proxy.slow(100);
  const since = performance.now();
  socket.write(' two');
  await expect.poll(heard).toBe('one two');
  // There and back; a timer may fire a little early.
  expect(performance.now() - since).toBeGreaterThan(190);
});

it('cuts connections and refuses new ones until it is whole again', async () => {
  const { socket } = await open();
  const closed = once(socket, 'close');
  proxy.set('cut');
  await closed;
  const refused = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await once(refused, 'close');
  proxy.set('pass');
  const again = await open();
  again.socket.write('hello');
  await expect.poll(again.heard).toBe('hello');
});

it('swallows what comes over open connections, for ever, and lets new ones through once it is whole', async () => {
  const { socket, heard } = await open();
  socket.write('before');
  await expect.poll(heard).toBe('before');
  proxy.set('swallow');
  socket.write('during');
  proxy.set('pass');
  socket.write('after');
  const fresh = await open();
  fresh.socket.write('new');
  await expect.poll(fresh.heard).toBe('new');
  expect(heard()).toBe('before');
  expect(socket.destroyed).toBe(false);
});
