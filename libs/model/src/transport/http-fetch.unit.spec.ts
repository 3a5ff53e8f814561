import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpFetch } from './http-fetch.js';

let server: Server;
let connections = 0;

async function serve(listener: RequestListener): Promise<string> {
  connections = 0;
  server = createServer(listener).on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  httpFetch(url, { method: 'POST', body: 'grüße', ...init });

describe('fetch over node:http', () => {
  it('sends the body with its length in bytes and reads status, headers and body', async () => {
    const url = await serve((request, response) => {
      response.writeHead(418, { 'x-length': request.headers['content-length'], 'set-cookie': ['a=1', 'b=2'] });
      request.pipe(response);
    });
    const response = await post(url, { headers: { 'content-type': 'text/plain' } });
    expect(response.status).toBe(418);
    expect(response.headers.get('x-length')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('grüße');
  });

  it('reuses a connection', async () => {
    const url = await serve((request, response) => void request.resume().on('end', () => response.end('ok')));
    for (let n = 0; n < 5; n++) expect(await (await post(url)).text()).toBe('ok');
    expect(connections).toBe(1);
  });

  const serveClosingSecondRequest = async (): Promise<{ url: string; seen: () => number }> => {
    let seen = 0;
    const url = await serve((request, response) => {
      seen++;
      if (seen === 2) request.socket.destroy();
      else request.resume().on('end', () => response.end(`answer ${seen}`));
    });
    return { url, seen: () => seen };
  };

  it('repeats a GET if the server closed the reused connection', async () => {
    const { url } = await serveClosingSecondRequest();
    expect(await (await httpFetch(url)).text()).toBe('answer 1');
    expect(await (await httpFetch(url)).text()).toBe('answer 3');
  });

  it('never repeats a request that may be charged, even if the reused connection was closed', async () => {
    const { url, seen } = await serveClosingSecondRequest();
    expect(await (await post(url)).text()).toBe('answer 1');
    await expect(post(url)).rejects.toThrow();
    expect(seen()).toBe(2);
  });

  it('does not repeat a request that failed on a new connection', async () => {
    let seen = 0;
    const url = await serve((request) => {
      seen++;
      request.socket.destroy();
    });
    await expect(post(url)).rejects.toThrow();
    expect(seen).toBe(1);
  });

  it('does not follow redirects, so a key stays with its host', async () => {
    const url = await serve((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' });
      response.end();
    });
    expect((await post(url, { headers: { authorization: 'Bearer key' } })).status).toBe(307);
  });

  it('fails if the body ends early', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect((await post(url)).text()).rejects.toThrow();
  });

  it('reads a body that is longer than the buffer', async () => {
    const size = 8 * 1024 * 1024;
    const url = await serve((_, response) => response.end(Buffer.alloc(size)));
    expect((await (await post(url)).arrayBuffer()).byteLength).toBe(size);
  });

  it('fails immediately on abort, before the headers and in the body', async () => {
    const url = await serve((_, response) => {
      if (connections > 1) response.write('half');
    });
    const before = new AbortController();
    const waiting = post(url, { signal: before.signal });
    setTimeout(() => before.abort(), 20);
    await expect(waiting).rejects.toThrow('aborted');
    const during = new AbortController();
    const response = await post(url, { signal: during.signal });
    setTimeout(() => during.abort(), 20);
    await expect(response.text()).rejects.toThrow();
  });

  it('returns a response without a body for status 204', async () => {
    const url = await serve((_, response) => void response.writeHead(204).end());
    const response = await post(url);
    expect([response.status, response.body]).toEqual([204, null]);
  });
});
