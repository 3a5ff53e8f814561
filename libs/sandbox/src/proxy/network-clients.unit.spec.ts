import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Sandbox } from '../contained/sandbox.js';
import { parseNetworks } from '../request/addresses.js';
import type { AddressRule } from '../request/guarded-request.js';
import type { CommandConnection } from './command-proxy.js';
import { loopback, resolveTo, SERVER_ADDRESS, startCountingServer } from './proxy-bench.fixture.js';

// Programs as agents use them: none is told about the proxy but by the variables that every command with network has.

const node = process.execPath;
const npm = join(dirname(process.execPath), 'npm');
const systemNpm = [npm, '/usr/bin/npm', '/usr/local/bin/npm'].find((path) => existsSync(path));

const FETCH = `fetch(process.argv[1]).then(async (a) => { console.log(a.status, await a.text()); }, (e) => { console.log('failed', e.cause?.code ?? e.message); });`;

async function runClient(
  file: string,
  args: readonly string[],
  network: readonly string[],
  addresses: AddressRule,
): Promise<{ readonly output: string; readonly connections: readonly CommandConnection[] }> {
  const root = mkdtempSync(join(tmpdir(), 'network-spec-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folders = { folder: join(root, 'workspace'), tmp: join(root, 'tmp') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  const connections: CommandConnection[] = [];
  const limits = {
    timeoutMs: 60_000,
    maxMemoryBytes: 2 ** 30,
    maxProcesses: 50,
    maxFileBytes: 2 ** 24,
    maxDiskBytes: 2 ** 30,
  };
  const command = {
    ...{ file, args, env: {}, folders, limits, network, path: [dirname(node)] },
    onConnection: (one: CommandConnection) => void connections.push(one),
  };
  const sandbox = new Sandbox({ mode: 'auto' }, addresses);
  const end = await sandbox.run(command, { maxOutputBytes: 100_000 }, new AbortController().signal);
  return { output: end.stdout.text() + end.stderr.text(), connections };
}

const clients: readonly (readonly [string, string, (url: string) => readonly string[]])[] = [
  ['curl', '/usr/bin/curl', (url) => ['--silent', '--show-error', url]],
  ['curl through a tunnel', '/usr/bin/curl', (url) => ['--silent', '--show-error', '--proxytunnel', url]],
  ['wget', '/usr/bin/wget', (url) => ['--quiet', '--output-document=-', '--tries=1', url]],
  ['fetch of Node.js', node, (url) => ['-e', FETCH, url]],
];

describe.each(clients.filter(([, file]) => existsSync(file)))('%s', (_name, file, argsOf) => {
  it('reaches a host on the list by its name, and no other', async () => {
    const server = await startCountingServer();
    const { resolve } = resolveTo({ 'files.example': SERVER_ADDRESS, 'evil.example': SERVER_ADDRESS });
    const network = [`files.example:${server.port}`];
    const rule = { allowed: loopback, resolve };
    const allowed = await runClient(file, argsOf(`http://files.example:${server.port}/a`), network, rule);
    expect(allowed.output).toContain('an answer');
    const [socket] = server.sockets;
    expect(allowed.connections).toEqual([
      {
        host: 'files.example',
        port: server.port,
        bytesSent: socket!.bytesRead,
        bytesReceived: socket!.bytesWritten,
        outcome: 'allowed',
      },
    ]);
    const refused = await runClient(file, argsOf(`http://evil.example:${server.port}/a`), network, rule);
    expect(refused.output).not.toContain('an answer');
    expect(refused.connections).toMatchObject([{ host: 'evil.example', outcome: 'refused', bytesReceived: 0 }]);
    expect(server.requests).toHaveLength(1);
  });

  it('is refused a name on the list that leads to this machine or its metadata service', async () => {
    const server = await startCountingServer();
    for (const address of [SERVER_ADDRESS, '169.254.169.254']) {
      const { resolve } = resolveTo({ 'rebound.example': address });
      const { output, connections } = await runClient(
        file,
        argsOf(`http://rebound.example:${server.port}/`),
        [`rebound.example:${server.port}`],
        { allowed: parseNetworks([]), resolve },
      );
      expect(output).not.toContain('an answer');
      expect(connections).toMatchObject([{ host: 'rebound.example', outcome: 'refused' }]);
    }
    expect(server.sockets).toEqual([]);
  });
});

it.runIf(systemNpm)('npm reads from a registry on the list', { timeout: 120_000 }, async () => {
  const server = await startCountingServer((response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        name: 'a-package',
        'dist-tags': { latest: '1.2.3' },
        versions: { '1.2.3': { version: '1.2.3' } },
      }),
    ),
  );
  const { resolve } = resolveTo({ 'registry.example': SERVER_ADDRESS });
  const registry = `http://registry.example:${server.port}`;
  const { output, connections } = await runClient(
    systemNpm!,
    ['view', 'a-package', 'version', '--registry', registry, '--fetch-retries', '0'],
    [`registry.example:${server.port}`],
    { allowed: loopback, resolve },
  );
  expect(output).toContain('1.2.3');
  expect(connections.map(({ host, outcome }) => `${outcome} ${host}`)).toContain('allowed registry.example');
  expect(server.requests.map(({ url }) => url)).toContain('/a-package');
});

it('a program that ignores the variables reaches nothing', async () => {
  const server = await startCountingServer();
  const script = `require('node:net').connect(${server.port}, '${SERVER_ADDRESS}').on('error', (e) => console.log(e.code)).on('connect', () => console.log('connected'));`;
  const { output } = await runClient(node, ['-e', script], [`${SERVER_ADDRESS}:${server.port}`], { allowed: loopback });
  expect(output).toContain('ECONNREFUSED');
  expect(server.sockets).toEqual([]);
});
