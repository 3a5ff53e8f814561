import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { readSources } from '@phaseline/documents';
import { createSearchPack, type SearchPackOptions } from './search-pack.js';

const LOCAL = { allowedNetworks: ['127.0.0.1/32'] };
const PAGE =
  '<!doctype html><html><head><title>Tide &amp; time</title></head><body><h1>Tides</h1><p>High water is at noon.</p></body></html>';

const openServers: LocalServer[] = [];
async function startServer(...args: Parameters<typeof startLocalServer>): Promise<LocalServer> {
  const server = await startLocalServer(...args);
  openServers.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(openServers.splice(0).map((server) => server.close()));
});
const bench = (options: SearchPackOptions = LOCAL) => new RemoteToolBench(createSearchPack(options));
const serveHtml = (body: string) =>
  startServer((_request, response) => response.setHeader('content-type', 'text/html').end(body));

describe('fetch_url: addresses', () => {
  it('never connects to this machine or a private network, however the address is spelled', async () => {
    const local = await serveHtml(PAGE);
    const one = bench({});
    const port = local.port;
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f000001:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://127.1:${port}/`,
      `http://0:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
      `http://[64:ff9b::7f00:1]:${port}/`,
      `http://１２７.0.0.1:${port}/`,
      `http://127.0.0.1.:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/latest/',
      'http://10.0.0.1/',
      'http://192.168.0.1/',
      'https://[fe80::1]/',
    ])
      // prettier-ignore
      expect([url, (await one.runForError('fetch_url', { url })).split(':')[0]]).toEqual([url, 'private_address']);
    expect(local.requests).toHaveLength(0);
  });

  it('rejects anything but a web address, and an address with a password', async () => {
    const one = bench();
    for (const url of [
      'file:///etc/passwd',
      'ftp://example.org/x',
      'gopher://x/',
      'not an address',
      'http://u:p@127.0.0.1/',
    ])
      expect(await one.runForError('fetch_url', { url })).toMatch(/^bad_url: /);
  });

  it('checks all addresses of a host name and resolves it once, so that DNS rebinding has no effect', async () => {
    const local = await serveHtml(PAGE);
    let lookups = 0;
    const rebinding = async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    const one = bench({ ...LOCAL, resolve: rebinding });
    expect(await one.call('fetch_url', { url: `http://rebound.example:${local.port}/` })).toContain('High water');
    expect(lookups).toBe(1);
    expect(local.requests[0]!.headers.host).toBe(`rebound.example:${local.port}`);
    expect(await one.runForError('fetch_url', { url: `http://rebound.example:${local.port}/` })).toMatch(
      /^private_address: /,
    );
    const mixed = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '10.0.0.7', family: 4 },
    ];
    expect(await bench({ resolve: mixed }).runForError('fetch_url', { url: 'http://mixed.example/' })).toMatch(
      /10\.0\.0\.7/,
    );
  });

  it('checks every hop of a redirect, and follows at most five', async () => {
    const inner = await serveHtml('<p>secret</p>');
    const hops = await startServer((request, response) => {
      const n = Number(request.url!.slice(1));
      if (n === 0) response.setHeader('content-type', 'text/plain').end('arrived');
      else response.writeHead(302, { location: `/${n - 1}` }).end();
    });
    const away = await startServer((_request, response) =>
      response.writeHead(301, { location: `http://[::ffff:7f00:2]:${inner.port}/` }).end(),
    );
    const file = await startServer((_request, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    const one = bench();
    expect(await one.call('fetch_url', { url: `${hops.url}/5` })).toContain('arrived');
    expect((await readSources(one.workspace))[0]).toMatchObject({
      url: `${hops.url}/0`,
      requestedUrl: `${hops.url}/5`,
    });
    expect(await one.runForError('fetch_url', { url: `${hops.url}/6` })).toMatch(/^too_many_redirects: /);
    expect(await one.runForError('fetch_url', { url: away.url })).toMatch(/^private_address: /);
    expect(await one.runForError('fetch_url', { url: file.url })).toMatch(/^bad_url: /);
    expect(inner.requests).toHaveLength(0);
  });
});

describe('fetch_url: content', () => {
  it('stores a page as a source with its address, time and hash', async () => {
    const local = await serveHtml(PAGE);
    const one = bench();
    const text = await one.call('fetch_url', { url: `${local.url}/tides` });
    expect(text).toMatch(/^Source 1: Tide & time\nAddress: .*\/tides\nStored in sources\/1\.md/);
    expect(text).toContain('# Tides\n\nHigh water is at noon.');
    const [source] = await readSources(one.workspace);
    expect(source).toMatchObject({ number: 1, file: 'sources/1.md', url: `${local.url}/tides`, title: 'Tide & time' });
    expect(source!.sha256).toMatch(/^[0-9a-f]{64}$/);
    const kept = (await one.readText('sources/1.md')).split('\n');
    expect(kept[source!.textLine - 1]).toBe('# Tides');
  });

  it('gives concurrent calls different source numbers, and stores the same page once', async () => {
    const local = await startServer((request, response) =>
      response.setHeader('content-type', 'text/plain').end(`page ${request.url}`),
    );
    const one = bench();
    const both = await Promise.all(['/a', '/b'].map((path) => one.run('fetch_url', { url: local.url + path })));
    const texts = [await one.record(both[0]!), await one.record(both[1]!)];
    expect(texts.map((text) => text.slice(0, 9))).toEqual(['Source 1:', 'Source 2:']);
    expect(await one.call('fetch_url', { url: `${local.url}/a` })).toMatch(/^Source 1:/);
    expect((await readSources(one.workspace)).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('reads other encodings and compressed responses', async () => {
    const latin = await startServer((_request, response) =>
      response.setHeader('content-type', 'text/html; charset=iso-8859-1').end(Buffer.from('<p>Größe</p>', 'latin1')),
    );
    const packed = await startServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(gzipSync('packed words')),
    );
    const one = bench();
    expect(await one.call('fetch_url', { url: latin.url })).toContain('Größe');
    expect(await one.call('fetch_url', { url: packed.url })).toContain('packed words');
  });

  it('rejects a response that is too large, also after decompression, before it is held in memory', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const packed = await startServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
    );
    const endless = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => void (response.writable && response.write(Buffer.alloc(1024 * 1024, 'x'), more));
      more();
    });
    const said = await startServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '99999999' }).flushHeaders(),
    );
    for (const one of [packed, endless, said])
      expect(await bench().runForError('fetch_url', { url: one.url })).toMatch(/^too_large: /);
  });

  it('rejects images and other binary content, and reports the error status of a server', async () => {
    const picture = await startServer((_request, response) => response.setHeader('content-type', 'image/png').end('x'));
    const gone = await startServer((_request, response) => response.writeHead(404).end());
    const busy = await startServer((_request, response) => response.writeHead(503).end());
    const one = bench();
    expect(await one.runForError('fetch_url', { url: picture.url })).toMatch(/^content_type: /);
    expect(await one.runForError('fetch_url', { url: gone.url })).toMatch(/^http_error: .* 404/);
    await expect(one.run('fetch_url', { url: gone.url })).rejects.toMatchObject({ retryable: false });
    await expect(one.run('fetch_url', { url: busy.url })).rejects.toMatchObject({
      code: 'http_error',
      retryable: true,
    });
    expect(await readSources(one.workspace)).toEqual([]);
  });

  it('stops when the call is aborted, and reports a connection that breaks off', async () => {
    const silent = await startServer(() => undefined);
    const broken = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const one = bench();
    expect(await one.runForError('fetch_url', { url: broken.url })).toMatch(/^unreachable: /);
    const abort = new AbortController();
    one.signal = abort.signal;
    const call = one.run('fetch_url', { url: silent.url });
    call.catch(() => undefined);
    await expect.poll(() => silent.requests.length).toBe(1);
    abort.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
  });

  it('reports a server that cannot be reached', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    expect(await bench().runForError('fetch_url', { url: `http://127.0.0.1:${port}` })).toMatch(
      /^unreachable: .*ECONNREFUSED/,
    );
  });
});

describe('web_search', () => {
  const results = { results: [
    { title: 'One', url: 'https://one.example/', content: 'First  words.' },
    { title: 'Two', url: 'javascript:alert(1)', content: 'No address.' },
    { title: null, url: 'https://three.example/', content: null },
  ] }; // prettier-ignore

  it('names the variables to set when no search engine is configured', async () => {
    expect(await bench({}).runForError('web_search', { query: 'tides' })).toMatch(
      /^search_not_configured: .*TAVILY_API_KEY or SEARXNG_URL/,
    );
    expect(await bench({ provider: 'searxng', tavilyApiKey: 'k' }).runForError('web_search', { query: 'x' })).toMatch(
      /^search_not_configured/,
    );
  });

  it('queries SearXNG and stores the results as a source', async () => {
    const searx = await startServer((_request, response) => response.end(JSON.stringify(results)));
    const one = bench({ searxngUrl: `${searx.url}/searx` });
    const text = await one.call('web_search', { query: 'high water', max_results: 2 });
    expect(searx.requests[0]!.url).toBe('/searx/search?q=high+water&format=json');
    expect(text).toMatch(
      /^Source 1: 2 results for "high water"[\s\S]*## One\n\nhttps:\/\/one\.example\/\n\nFirst words\./,
    );
    expect(text).not.toContain('javascript:');
    expect((await readSources(one.workspace))[0]).toMatchObject({
      tool: 'web_search searxng',
      title: 'Search: high water',
    });
  });

  it('queries Tavily with the key in a header, and never reveals the key', async () => {
    const bodies: string[] = [];
    const tavily = await startServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.end(JSON.stringify(results)));
    });
    const one = bench({ tavilyUrl: tavily.url, tavilyApiKey: 'tvly-secret-key' });
    await one.call('web_search', { query: 'tides', max_results: 3 });
    expect(tavily.requests[0]!.headers.authorization).toBe('Bearer tvly-secret-key');
    expect(JSON.parse(bodies.join(''))).toEqual({ query: 'tides', max_results: 3 });
    for (const path of Object.keys(one.workspace.tree))
      expect(await one.readText(path)).not.toContain('tvly-secret-key');
    const refusing = await startServer((_request, response) => {
      response.statusMessage = 'bad key tvly-secret-key';
      response.writeHead(401).end();
    });
    const refused = await bench({ tavilyUrl: refusing.url, tavilyApiKey: 'tvly-secret-key' }).runForError(
      'web_search',
      {
        query: 'x',
      },
    );
    expect(refused).toMatch(/^http_error: Tavily: .*401/);
    expect(refused).not.toContain('tvly-secret-key');
  });

  it('shows copies of one source once', async () => {
    const content = 'Records must be kept for ten years from the end of the calendar year in which they were made.';
    const hits = [
      { title: 'Law', url: 'https://law.example/keep', content },
      { title: 'Another', url: 'https://other.example/', content: 'Nothing in common with the first one at all.' },
      { title: 'Mirror', url: 'https://mirror.example/a', content: `${content} Copied.` },
      { title: 'Law', url: 'http://www.law.example/keep/?utm_source=x#top', content: 'The same page.' },
    ];
    const searx = await startServer((_request, response) => response.end(JSON.stringify({ results: hits })));
    const text = await bench({ searxngUrl: searx.url }).call('web_search', { query: 'records' });
    expect(text).toMatch(/^Source 1: 2 results/);
    expect(text).toContain('also at https://mirror.example/a, http://www.law.example/keep/?utm_source=x#top');
    expect(text.match(/^## /gm)).toHaveLength(2);
  });

  it('searches no more widely than the agent allows, whatever the model asks for', async () => {
    const bodies: unknown[] = [];
    const tavily = await startServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(JSON.parse(chunk.toString())));
      request.on('end', () => response.end(JSON.stringify(results)));
    });
    const pack = createSearchPack({ tavilyUrl: tavily.url, tavilyApiKey: 'k' });
    const search = (settings: object, args: object) =>
      new RemoteToolBench(pack, { search: settings }).call('web_search', { query: 'tides', ...args });
    const told = await search({ maxResults: 2, depth: 'basic' }, { max_results: 20, depth: 'advanced' });
    expect(told).toContain('Used max_results 2 instead of 20: this agent allows at most 2.');
    await search({ depth: 'advanced' }, {});
    await search({ depth: 'advanced' }, { depth: 'basic' });
    await search({}, { depth: 'advanced' });
    expect(bodies).toEqual([
      { query: 'tides', max_results: 2, search_depth: 'basic' },
      { query: 'tides', max_results: 5, search_depth: 'advanced' },
      { query: 'tides', max_results: 5, search_depth: 'basic' },
      { query: 'tides', max_results: 5 },
    ]);
  });

  it('reports a response that is not a list of results', async () => {
    const page = await serveHtml('<p>JSON is off</p>');
    expect(await bench({ searxngUrl: page.url }).runForError('web_search', { query: 'x' })).toMatch(
      /^bad_response: SearXNG/,
    );
  });
});
