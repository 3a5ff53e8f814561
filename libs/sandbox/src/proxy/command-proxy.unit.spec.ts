import { describe, expect, it } from 'vitest';
import { parseNetworks } from '../request/addresses.js';
import { loopback, resolveTo, SERVER_ADDRESS, startCountingServer, startProxy } from './proxy-bench.fixture.js';

const get = (url: string, host = new URL(url).host, more = ''): string =>
  `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;
const tunnel = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

describe('hosts', () => {
  it('forwards a request to a host on the list, and records the bytes that the server saw', async () => {
    const server = await startCountingServer((response) => response.end('x'.repeat(100_000)));
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const answer = await bench.exchange(get(`http://files.example:${server.port}/a?b=1`));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(server.requests).toMatchObject([{ url: '/a?b=1' }]);
    await bench.proxy.close();
    const [socket] = server.sockets;
    expect(bench.connections).toEqual([
      {
        host: 'files.example',
        port: server.port,
        bytesSent: socket!.bytesRead,
        bytesReceived: socket!.bytesWritten,
        outcome: 'allowed',
      },
    ]);
    expect(socket!.bytesWritten).toBeGreaterThan(100_000);
  });

  it('tunnels to a host on the list, and records the bytes that the server saw', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const answer = await bench.exchange(
      // Bytes that follow CONNECT without waiting for the answer belong to the server.
      `${tunnel(`files.example:${server.port}`)}${get('http://x/', 'files.example', `X-Long: ${'y'.repeat(5_000)}\r\n`).replace('http://x/', '/through')}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[^]*an answer/);
    expect(server.requests).toMatchObject([{ url: '/through' }]);
    await bench.proxy.close();
    const [socket] = server.sockets;
    expect(bench.connections).toMatchObject([
      { host: 'files.example', bytesSent: socket!.bytesRead, bytesReceived: socket!.bytesWritten, outcome: 'allowed' },
    ]);
    expect(socket!.bytesRead).toBeGreaterThan(5_000);
  });

  it.each(['a CONNECT', 'a request'])(
    'refuses %s to a host that is not on the list without resolving it',
    async (kind) => {
      const { resolve, asked } = resolveTo({ 'evil.example': '127.0.0.1' });
      const bench = await startProxy(['files.example'], { allowed: loopback, resolve });
      const answer = await bench.exchange(
        kind === 'a CONNECT' ? tunnel('evil.example:443') : get('http://evil.example/'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*is not in the network settings of this agent/);
      expect(asked).toEqual([]);
      expect(bench.connections).toMatchObject([
        {
          host: 'evil.example',
          outcome: 'refused',
          bytesSent: 0,
          bytesReceived: 0,
          reason: expect.stringContaining('network settings'),
        },
      ]);
    },
  );

  it.each(['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', '169.254.169.254', '10.0.0.1'])(
    'refuses the address %s, also if a pattern of the list would match it',
    async (host) => {
      const bench = await startProxy(['*.0.0.1', '*.example', '127.0.0.1', '169.254.169.254', '10.0.0.1'], {
        allowed: parseNetworks([]),
      });
      for (const text of [tunnel(`${host}:443`), get(`http://${host}:80/latest/meta-data`, host)])
        expect(await bench.exchange(text)).toMatch(/^HTTP\/1\.1 403 /);
      expect(bench.connections.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
    },
  );

  it.each(['127.0.0.1', '169.254.169.254', '192.168.0.7', '::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a9fe:a9fe'])(
    'refuses a name on the list whose address is %s, also beside a public one',
    async (address) => {
      const { resolve } = resolveTo({ 'rebound.example': ['198.41.0.4', address] });
      const bench = await startProxy(['rebound.example'], { allowed: parseNetworks([]), resolve });
      for (const text of [tunnel('rebound.example:443'), get('http://rebound.example/')])
        expect(await bench.exchange(text)).toMatch(/^HTTP\/1\.1 502 Bad Gateway[^]*not on the public internet/);
      expect(bench.connections).toMatchObject([
        { outcome: 'refused', reason: expect.stringContaining(address) },
        { outcome: 'refused', reason: expect.stringContaining(address) },
      ]);
    },
  );

  it('connects to the address that it checked, and resolves a name once per connection', async () => {
    const server = await startCountingServer();
    let answers = 0;
    const bench = await startProxy([`rebound.example:${server.port}`], {
      allowed: loopback,
      // The second answer would lead elsewhere.
      resolve: () => Promise.resolve([{ address: (answers += 1) === 1 ? SERVER_ADDRESS : '127.0.0.2', family: 4 }]),
    });
    expect(await bench.exchange(get(`http://rebound.example:${server.port}/`))).toContain('an answer');
    expect(answers).toBe(1);
  });

  it('takes case and a final dot of a name as the same host', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`Files.Example:${server.port}`], { allowed: loopback, resolve });
    expect(await bench.exchange(get(`http://FILES.example.:${server.port}/`))).toContain('an answer');
    expect(await bench.exchange(get(`http://files.example..:${server.port}/`))).toMatch(/^HTTP\/1\.1 403/);
  });

  it('refuses a port that is not on the list', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy(['files.example'], { allowed: loopback, resolve });
    expect(await bench.exchange(get(`http://files.example:${server.port}/`))).toMatch(/^HTTP\/1\.1 403/);
    expect(await bench.exchange(tunnel(`files.example:${server.port}`))).toMatch(/^HTTP\/1\.1 403/);
    expect(server.sockets).toEqual([]);
  });

  it('shortens a very long name in the record of its refusal', async () => {
    const bench = await startProxy(['files.example'], { allowed: parseNetworks([]) });
    expect(await bench.exchange(tunnel(`${'a'.repeat(5_000)}.example:443`))).toMatch(/^HTTP\/1\.1 403/);
    const [refused] = bench.connections;
    expect(refused!.host).toHaveLength(255);
    expect(refused!.reason!.length).toBeLessThanOrEqual(500);
  });
});

describe('requests', () => {
  it('sends the host of the URL, whatever the request says, and no header that concerns the proxy', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const more = 'Proxy-Authorization: Basic eA==\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-End: 2\r\n';
    await bench.exchange(get(`http://files.example:${server.port}/`, 'other.example', more));
    const [request] = server.requests;
    expect(request!.headers.host).toBe(`files.example:${server.port}`);
    expect(request!.headers).toMatchObject({ 'x-end': '2' });
    for (const name of ['x-hop', 'proxy-authorization']) expect(request!.headers).not.toHaveProperty(name);
  });

  it.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 30\r\n'],
    ['a length beside chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
    ['an encoding that ends otherwise', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a line end inside a header', 'X-A: 1\rX-B: 2\r\n'],
    ['a folded header', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n'],
  ])('never sends a second request that hides behind %s', async (_what, header) => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const url = `http://files.example:${server.port}`;
    const socket = bench.open();
    const closed = new Promise((done) => socket.on('close', done));
    socket.resume();
    socket.end(
      `POST ${url}/first HTTP/1.1\r\nHost: x\r\n${header}\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
    );
    await closed;
    expect(server.requests.map((request) => request.url)).not.toContain('/hidden');
    // Each request that reached the server had a connection of its own.
    expect(server.sockets.length).toBe(server.requests.length);
  });

  it('checks each of several requests on one connection', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const url = `http://files.example:${server.port}/`;
    const keep = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await bench.exchange(`${keep(url)}${keep('http://evil.example/')}${get(url)}`);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200']);
    await bench.proxy.close();
    expect(bench.connections.map(({ outcome }) => outcome).sort()).toEqual(['allowed', 'allowed', 'refused']);
  });

  it.each([
    'files.example',
    'files.example:0',
    'files.example:65536',
    'files.example:443/path',
    'files.example:443?query',
    'user@files.example:443',
    'files.example:443@evil.example:443',
    'files.example:443\\evil.example',
    ':443',
  ])('rejects CONNECT %s', async (target) => {
    const bench = await startProxy(['files.example', 'evil.example'], { allowed: parseNetworks([]) });
    expect(await bench.exchange(tunnel(target))).toMatch(/^(?:HTTP\/1\.1 400|$)/);
    expect(bench.connections).toEqual([]);
  });

  it.each(['/path', 'https://files.example/', 'ftp://files.example/', 'file:///etc/passwd'])(
    'rejects a request for %s',
    async (url) => {
      const bench = await startProxy(['files.example'], { allowed: parseNetworks([]) });
      expect(await bench.exchange(`GET ${url} HTTP/1.1\r\nHost: files.example\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400/,
      );
    },
  );
});

describe('records', () => {
  it('contain every connection that was open when the command ended', async () => {
    const server = await startCountingServer(() => undefined);
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS });
    const bench = await startProxy([`files.example:${server.port}`], { allowed: loopback, resolve });
    const target = `files.example:${server.port}`;
    bench.open().write(get(`http://${target}/`));
    bench.open().write(tunnel(target));
    await expect.poll(() => [server.requests.length, server.sockets.length]).toEqual([1, 2]);
    expect(bench.connections).toEqual([]);
    await bench.proxy.close();
    expect(bench.connections.map(({ outcome, host }) => `${outcome} ${host}`)).toEqual(
      Array.from({ length: 2 }, () => 'allowed files.example'),
    );
  });

  it('say that a connection failed, and why', async () => {
    const { resolve } = resolveTo({ 'closed.example': '127.0.0.1' });
    const bench = await startProxy(['closed.example:1', 'missing.example'], { allowed: loopback, resolve });
    await bench.exchange(get('http://closed.example:1/'));
    await bench.exchange(tunnel('missing.example:443'));
    expect(bench.connections).toMatchObject([
      { host: 'closed.example', outcome: 'failed', reason: expect.stringContaining('ECONNREFUSED') },
      { host: 'missing.example', outcome: 'failed', reason: expect.stringContaining('no address') },
    ]);
  });

  it('end with the first refusal beyond the maximum', async () => {
    const bench = await startProxy(['files.example'], { allowed: parseNetworks([]) });
    const keep = 'GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n';
    await bench.exchange(`${keep.repeat(1_100)}${get('http://evil.example/')}`);
    expect(bench.connections).toHaveLength(1_001);
    expect(bench.connections.at(-1)).toMatchObject({ reason: 'a command can make at most 1000 connections' });
  });
});
