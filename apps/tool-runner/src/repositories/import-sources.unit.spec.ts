import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseSshAddress, repositoryRequestSchema } from '@phaseline/contracts';
import { parseNetworks } from '@phaseline/sandbox';
import { MAX_FILE_BYTES } from '@phaseline/workspace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkUrl } from './check-source.js';
import { RepositoryFolders } from './mirrors.js';
import { createRepository, git, gitAsAda, importFrom, makeFolder, writeTo } from './repository-on-disk.fixture.js';

const textOf = async ({ imported, blobs }: Awaited<ReturnType<typeof importFrom>>, path: string): Promise<string> =>
  (await blobs.get(imported.tree[`repository/${path}`]!.hash))!.toString('utf8');

/** Returns code and message of the problem that an import ends with. */
async function problemOf(work: Promise<unknown>): Promise<string> {
  const problem = await work.then(
    () => ({ code: 'none', message: '' }),
    (error: { code?: string; message: string }) => error,
  );
  return `${problem.code}: ${problem.message}`;
}

describe('unusual content', () => {
  it('is imported as git stores it: pointers of LFS, names that differ in case only, and names of other alphabets', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    const imported = await importFrom(
      createRepository({
        '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
        'model.bin': pointer,
        'README.md': 'upper\n',
        'readme.md': 'lower\n',
        'a b/ünï 文.txt': 'x',
        "it's $HOME `id`.txt": 'x',
        '-rf': 'x',
      }),
    );
    expect(imported.imported.fileCount).toBe(7);
    expect(await textOf(imported, 'model.bin')).toBe(pointer);
    expect([await textOf(imported, 'README.md'), await textOf(imported, 'readme.md')]).toEqual(['upper\n', 'lower\n']);
  });

  it.each(['a\nb.txt', 'a\tb.txt', 'a\u001b[2Jb.txt', 'a\\b.txt'])(
    'with the name %j is refused, with a message of one line',
    async (name) => {
      const problem = await problemOf(importFrom(createRepository({ [name]: 'x' })));
      expect(problem).toMatch(/^repository_refused: /);
      expect(problem).not.toMatch(/[\u0000-\u001f]/);
    },
  );

  it('with a file that a workspace cannot have is refused by its size', async () => {
    const origin = createRepository({});
    writeFileSync(join(origin, 'huge.bin'), Buffer.alloc(MAX_FILE_BYTES + 1));
    gitAsAda(origin, 'add', '--all');
    gitAsAda(origin, 'commit', '--quiet', '-m', 'huge');
    expect(await problemOf(importFrom(origin, { bytes: 10 * MAX_FILE_BYTES }))).toBe(
      `repository_too_large: "huge.bin" has ${MAX_FILE_BYTES + 1} bytes; a file of a workspace has at most ${MAX_FILE_BYTES}`,
    );
  });
});

describe('refs', () => {
  it('of other commits do not disturb the import, whatever their names are', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    for (const name of ['ünï', "it's", 'a$(id)', '-x', 'HEAD', 'refs/heads/main'])
      gitAsAda(origin, 'update-ref', `refs/heads/${name}`, 'HEAD');
    const { imported } = await importFrom(origin, { ref: 'refs/heads/main' });
    expect(imported.branch).toBe('main');
    gitAsAda(origin, 'symbolic-ref', 'HEAD', 'refs/heads/ünï');
    // The agent works on a branch whose name every tool understands.
    expect((await importFrom(origin)).imported.branch).toBe('main');
  });

  it('may be a tag of a commit that is on no branch, and may not be a file', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    gitAsAda(origin, 'switch', '--quiet', '--detach');
    writeTo(origin, 'a.md', 'detached');
    gitAsAda(origin, 'commit', '--quiet', '-am', 'detached');
    gitAsAda(origin, 'tag', 'detached');
    gitAsAda(origin, 'tag', 'file', gitAsAda(origin, 'rev-parse', 'HEAD:a.md').trim());
    gitAsAda(origin, 'switch', '--quiet', 'main');
    expect(await textOf(await importFrom(origin, { ref: 'detached' }), 'a.md')).toBe('detached');
    expect(await problemOf(importFrom(origin, { ref: 'file' }))).toBe(
      'repository_refused: file is no commit of the repository',
    );
  });

  it('that are missing are named, also in a repository without commits', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    expect(await problemOf(importFrom(origin, { ref: 'nowhere' }))).toBe(
      'ref_not_found: the repository has no nowhere. Give a branch, a tag or a full commit hash that it has',
    );
    const absent = 'f'.repeat(40);
    expect(await problemOf(importFrom(origin, { ref: absent }))).toMatch(/^ref_not_found: the repository has no ffff/);
    const empty = makeFolder('empty');
    git(empty, ['init', '--quiet', '--initial-branch=main']);
    expect(await problemOf(importFrom(empty))).toBe(
      'ref_not_found: the repository has no commit yet. Make one, then submit the job again',
    );
  });
});

it('a shallow clone is refused with what to do', async () => {
  const origin = createRepository({ 'a.md': 'one' });
  writeTo(origin, 'a.md', 'two');
  gitAsAda(origin, 'commit', '--quiet', '-am', 'two');
  const shallow = makeFolder('shallow');
  git(shallow, ['clone', '--quiet', '--depth=1', `file://${origin}`, '.']);
  expect(await problemOf(importFrom(shallow))).toBe(
    `repository_refused: ${shallow} is a shallow clone, whose history is incomplete. Complete it with \`git fetch --unshallow\``,
  );
});

describe('a server', () => {
  const networks = parseNetworks(['127.0.0.0/8']);
  const ssh = { program: '/usr/bin/ssh', knownHosts: undefined };
  const TOKEN = 'tok-4711-secret';

  it('that does not exist or does not respond is reported, without the token', async () => {
    const rules = { protocols: ['http', 'https'], networks, ssh };
    expect(await problemOf(checkUrl('https://no-such-host.invalid/a', rules, TOKEN, makeFolder('scratch')))).toBe(
      'fetch_failed: there is no host no-such-host.invalid',
    );
    const source = await checkUrl('http://127.0.0.1:1/a', rules, TOKEN, makeFolder('scratch'));
    const problem = await problemOf(importFrom('', { source }));
    expect(problem).toMatch(/^fetch_failed: .*127\.0\.0\.1 port 1/);
    expect(problem).not.toContain(TOKEN);
  });

  it('that refuses the token, and repeats it, is reported without it', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(403, { 'content-type': 'text/plain' }).end('you are not allowed\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
    const source = await checkUrl(url, { protocols: ['http'], networks, ssh }, TOKEN, makeFolder('scratch'));
    const problem = await problemOf(importFrom('', { source }));
    expect(seen[0]).toBe(`Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`);
    expect(problem).toMatch(/^fetch_failed: .*403/);
    expect(problem).not.toMatch(new RegExp(`${TOKEN}|${Buffer.from(TOKEN).toString('base64').slice(0, 12)}`));
  });
});

describe('a token', () => {
  const networks = parseNetworks(['127.0.0.0/8']);
  const rules = { protocols: ['http', 'https'], networks, ssh: { program: '/usr/bin/ssh', knownHosts: undefined } };

  /** Starts a server that redirects to `location`, or refuses everything. Returns its URL and the requests that it got. */
  async function startServer(location?: string): Promise<{ readonly url: string; readonly requests: string[] }> {
    const requests: string[] = [];
    const server = createServer(({ url, headers }, response) => {
      requests.push(`${headers.authorization === undefined ? 'without' : 'with'} a token: ${url}`);
      response
        .writeHead(location === undefined ? 403 : 302, location === undefined ? {} : { location: `${location}${url}` })
        .end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  }

  it('is not sent to the host that a server redirects to', async () => {
    const other = await startServer();
    const server = await startServer(other.url);
    const source = await checkUrl(`${server.url}/own/name.git`, rules, 'tok-4711-secret', makeFolder('scratch'));
    expect(await problemOf(importFrom('', { source }))).toMatch(/^fetch_failed: /);
    expect(server.requests).toEqual(['with a token: /own/name.git/info/refs?service=git-upload-pack']);
    expect(other.requests).toEqual([]);
  });

  it('is not sent to another host that the library of git reads in the same URL', async () => {
    const [named, hidden] = [await startServer(), await startServer()];
    const text = `${named.url}\\@${hidden.url.slice('http://'.length)}/own/name.git`;
    const source = await checkUrl(text, rules, 'tok-4711-secret', makeFolder('scratch'));
    expect(await problemOf(importFrom('', { source }))).toMatch(/^fetch_failed: /);
    expect(hidden.requests).toEqual([]);
    expect(named.requests).toHaveLength(1);
  });
});

describe('ssh', () => {
  const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LWtleQ==\n-----END OPENSSH PRIVATE KEY-----';

  /** A program in place of ssh that runs `script` with the arguments of ssh. */
  function createSsh(script: string): { readonly program: string; readonly knownHosts: string } {
    const folder = makeFolder("ssh it's");
    writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'ssh'), 0o755);
    writeFileSync(join(folder, 'known_hosts'), '[127.0.0.1]:2222 ssh-ed25519 AAAA\n');
    return { program: join(folder, 'ssh'), knownHosts: join(folder, 'known_hosts') };
  }
  const rulesOf = (ssh: { program: string; knownHosts: string | undefined }) => ({
    ...{ protocols: ['ssh'], networks: parseNetworks(['127.0.0.0/8']), ssh },
  });

  it('fetches with the key of the secret, and with nothing of the user of the tool-runner', async () => {
    const origin = createRepository({ 'a.md': 'through ssh' });
    const log = join(makeFolder('log'), 'log');
    // Runs what git asks the server to run; the last argument is a command line for its shell.
    const ssh = createSsh(`printf '%s\\n' "$@" > '${log}'; env >> '${log}'; for last; do :; done; exec sh -c "$last"`);
    const scratch = makeFolder('scratch');
    const url = `ssh://git@127.0.0.1:2222${origin}`;
    const source = await checkUrl(url, rulesOf(ssh), KEY, scratch);
    expect(await textOf(await importFrom('', { source }), 'a.md')).toBe('through ssh');
    const logged = readFileSync(log, 'utf8');
    expect(logged).toMatch(/^-F\n.*ssh-config\n(?:-o\nSendEnv=GIT_PROTOCOL\n)?-p\n2222\ngit@127\.0\.0\.1\n/);
    expect(logged).not.toContain('c2VjcmV0');
    expect(readFileSync(join(scratch, 'ssh-key'), 'utf8')).toBe(`${KEY}\n`);
    expect(statSync(join(scratch, 'ssh-key')).mode & 0o777).toBe(0o600);
  });

  it.skipIf(!existsSync('/usr/bin/ssh'))('understands the configuration as it is meant (needs ssh)', async () => {
    const { knownHosts } = createSsh('');
    const scratch = makeFolder('scratch 100%');
    await checkUrl('ssh://git@127.0.0.1:2222/a', rulesOf({ program: '/usr/bin/ssh', knownHosts }), KEY, scratch);
    const print = ['-G', '-F', join(scratch, 'ssh-config'), '-p', '2222', 'git@some-name.example'];
    const shown = execFileSync('/usr/bin/ssh', print, { encoding: 'utf8' }).split('\n');
    expect(shown).toEqual(
      expect.arrayContaining([
        ...['hostname 127.0.0.1', 'port 2222', 'hostkeyalias [127.0.0.1]:2222', 'stricthostkeychecking true'],
        ...['batchmode yes', 'identitiesonly yes', 'identityagent none', 'globalknownhostsfile /dev/null'],
        ...['passwordauthentication no', 'kbdinteractiveauthentication no', 'updatehostkeys false'],
        ...[`identityfile ${scratch}/ssh-key`.replaceAll('%', '%%'), `userknownhostsfile ${knownHosts}`],
      ]),
    );
    expect(shown.filter((line) => /^(proxycommand|proxyjump|localcommand|controlpath) (?!none)/.test(line))).toEqual(
      [],
    );
  });

  it.each([
    ['Host key verification failed.', 'No ED25519 host key is known for 127.0.0.1'],
    ['git@127.0.0.1: Permission denied (publickey).', ''],
    ['kex_exchange_identification: Connection closed by remote host', ''],
  ])('reports "%s" without the key', async (line, before) => {
    const ssh = createSsh(`echo '${before}' >&2; echo '${line}' >&2; exit 255`);
    const source = await checkUrl('git@127.0.0.1:owner/name.git', rulesOf(ssh), KEY, makeFolder('scratch'));
    const problem = await problemOf(importFrom('', { source }));
    expect(problem).toMatch(/^fetch_failed: /);
    expect(problem).toContain(line);
    expect(problem).not.toMatch(/PRIVATE KEY|c2VjcmV0|ssh-key/);
  });

  it('is refused without known hosts, at a private address, and where it is not allowed', async () => {
    const ssh = createSsh('exit 1');
    const scratch = makeFolder('scratch');
    const refuse = (address: string, rules: Parameters<typeof checkUrl>[1]) =>
      problemOf(checkUrl(address, rules, KEY, scratch));
    expect(await refuse('git@127.0.0.1:a', rulesOf({ ...ssh, knownHosts: undefined }))).toMatch(
      /^repository_refused: the keys of 127\.0\.0\.1 are not known\. .*PHASELINE_REPOSITORY_KNOWN_HOSTS/,
    );
    expect(await refuse('git@127.0.0.1:a', rulesOf({ ...ssh, knownHosts: '/nowhere' }))).toMatch(/does not exist/);
    expect(await refuse('git@127.0.0.1:a', { ...rulesOf(ssh), networks: parseNetworks([]) })).toMatch(
      /^repository_refused: 127\.0\.0\.1 is not on the public internet/,
    );
    expect(await refuse('git@127.0.0.1:a', { ...rulesOf(ssh), protocols: ['https'] })).toMatch(
      /^repository_refused: repositories are not fetched over ssh; allowed: https/,
    );
  });

  it('is accepted in a request in both notations, with a secret', () => {
    for (const url of ['ssh://git@example.org/a/b.git', 'ssh://[::1]:22/a', 'git@example.org:a/b.git'])
      expect(repositoryRequestSchema.safeParse({ url, secret: 'KEY' }).success, url).toBe(true);
    expect(repositoryRequestSchema.safeParse({ url: 'git@example.org:a' }).error?.issues[0]?.message).toBe(
      'expected the name of a secret with the private key of the ssh address; store it with `phaseline secrets set`',
    );
    for (const url of ['ssh://git:password@example.org/a', 'ssh://git@example.org', 'ssh://example.org:99999/a'])
      expect(repositoryRequestSchema.safeParse({ url, secret: 'KEY' }).success, url).toBe(false);
    expect(parseSshAddress('ssh://git@[::1]:2222/a')).toEqual({ host: '::1', port: 2222 });
  });
});

it('keys that a killed tool-runner left are removed by the next start after an hour, and folders after a day', async () => {
  const root = makeFolder('folders');
  for (const name of ['old', 'fresh']) writeTo(root, `scratch/${name}/ssh-key`, 'key');
  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 60 * 60 * 1_000);
  utimesSync(join(root, 'scratch/old'), hoursAgo(2), hoursAgo(2));
  const folders = new RepositoryFolders(root);
  await folders.sweep(Date.now());
  expect(readdirSync(join(root, 'scratch/old'))).toEqual([]);
  expect(readdirSync(join(root, 'scratch/fresh'))).toEqual(['ssh-key']);
  utimesSync(join(root, 'scratch/old'), hoursAgo(25), hoursAgo(25));
  await folders.sweep(Date.now());
  expect(readdirSync(join(root, 'scratch'))).toEqual(['fresh']);
});
