import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { repositoryRequestSchema } from '@phaseline/contracts';
import { parseNetworks } from '@phaseline/sandbox';
import { recordInheritance } from '@phaseline/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkPath, checkUrl } from './check-source.js';
import {
  createMirror,
  createRepository,
  git,
  gitAsAda,
  importFrom,
  JOB_ID,
  makeFolder,
  writeTo,
  writeWorkspace,
} from './repository-on-disk.fixture.js';

describe('an import', () => {
  it('stores the commit, and a working repository in which the agent commits under its own name, signed off', async () => {
    const origin = createRepository({
      'README.md': 'text\n',
      'bin/run': '#!/bin/sh\n',
      'link.md': '-> README.md',
      'Übersicht.md': 'ü\n',
      'data.bin': Buffer.from([0, 1, 2, 255]),
    });
    const { imported, blobs } = await importFrom(origin);
    expect(imported).toMatchObject({ path: origin, ref: 'HEAD', branch: 'main', fileCount: 5, submodules: 0 });
    expect(imported.commit).toBe(gitAsAda(origin, 'rev-parse', 'HEAD').trim());
    expect(imported.treeHash).toBe(gitAsAda(origin, 'rev-parse', 'HEAD^{tree}').trim());
    expect(imported.tree['repository/bin/run']?.mode).toBe('executable');
    expect(imported.tree['repository/link.md']?.mode).toBe('link');
    const folder = await writeWorkspace(imported.tree, blobs);
    expect(git(folder, ['status', '--porcelain'])).toBe('');
    writeTo(folder, 'new.md', 'new\n');
    git(folder, ['add', 'new.md']);
    git(folder, ['commit', '--quiet', '--no-verify', '-m', 'add a page']);
    expect(git(folder, ['log', '-1', '--format=%an|%ae|%B'])).toBe(
      `The Coder x|job-${JOB_ID}@phaseline.invalid|add a page\n\nSigned-off-by: The Coder x <job-${JOB_ID}@phaseline.invalid>\n\n`,
    );
    expect(git(folder, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('imports the requested branch, tag or commit', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    const first = gitAsAda(origin, 'rev-parse', 'HEAD').trim();
    gitAsAda(origin, 'tag', '-a', 'v1', '-m', 'one');
    gitAsAda(origin, 'switch', '--quiet', '-c', 'topic/x');
    writeTo(origin, 'a.md', 'two');
    gitAsAda(origin, 'commit', '--quiet', '-am', 'two');
    const second = gitAsAda(origin, 'rev-parse', 'HEAD').trim();
    gitAsAda(origin, 'switch', '--quiet', 'main');
    const found = [];
    for (const ref of ['HEAD', 'v1', 'topic/x', second]) {
      const { imported } = await importFrom(origin, { ref });
      found.push([imported.commit, imported.branch]);
    }
    expect(found).toEqual([
      [first, 'main'],
      [first, 'main'],
      [second, 'topic/x'],
      [second, 'main'],
    ]);
    await expect(importFrom(origin, { ref: 'nowhere' })).rejects.toMatchObject({ code: 'ref_not_found' });
  });

  it('runs nothing that the repository brings: hooks, monitors, helpers, filters', async () => {
    const marker = join(makeFolder('marker'), 'ran');
    const origin = createRepository({ 'a.md': 'one', '.gitattributes': '*.md filter=evil diff=evil\n' });
    const script = `#!/bin/sh\ntouch ${marker}\n`;
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-receive', 'post-update']) {
      writeFileSync(join(origin, '.git/hooks', hook), script);
      chmodSync(join(origin, '.git/hooks', hook), 0o755);
    }
    appendFileSync(
      join(origin, '.git/config'),
      `[core]\n\tfsmonitor = touch ${marker}\n\tsshCommand = touch ${marker}\n\tgitProxy = touch ${marker}\n\talternateRefsCommand = touch ${marker}\n` +
        `[filter "evil"]\n\tsmudge = touch ${marker}\n\tclean = touch ${marker}\n\trequired = true\n[uploadpack]\n\tpackObjectsHook = touch ${marker}\n`,
    );
    const { imported, blobs } = await importFrom(origin);
    const folder = await writeWorkspace(imported.tree, blobs);
    git(folder, ['status']);
    expect(existsSync(marker)).toBe(false);
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toContain('evil');
    expect(Object.keys(imported.tree).filter((path) => path.includes('/hooks/'))).toEqual([
      'repository/.git/hooks/prepare-commit-msg',
    ]);
    // The attack works where git reads the configuration of the repository.
    git(origin, ['status']);
    expect(existsSync(marker)).toBe(true);
  });

  it('runs no hook of its mirror, which a template of the machine may have put there', async () => {
    const marker = join(makeFolder('marker'), 'ran');
    const mirror = createMirror();
    writeTo(mirror, 'hooks/reference-transaction', `#!/bin/sh\ntouch ${marker}\n`);
    await importFrom(createRepository({ 'a.md': 'one' }), { mirror });
    expect(existsSync(marker)).toBe(false);
    // The hook works where git follows it.
    git(mirror, ['update-ref', 'refs/heads/other', `refs/phaseline/${JOB_ID}`]);
    expect(existsSync(marker)).toBe(true);
  });

  it('starts no program with the environment of the tool-runner', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    const mirror = createMirror();
    const record = recordInheritance();
    onTestFinished(() => record.end());
    await importFrom(origin, { mirror });
    expect(record.listHeirs()).toEqual([]);
  });

  it('leaves the folders of submodules empty, and the agent cannot remove one by accident', async () => {
    const marker = join(makeFolder('marker'), 'ran');
    const modules = `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${marker}\n\tupdate = !touch ${marker}\n`;
    const origin = createRepository({ 'a.md': 'one', 'modules.txt': modules });
    gitAsAda(origin, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},x`);
    gitAsAda(origin, 'commit', '--quiet', '-m', 'submodule');
    const { imported, blobs } = await importFrom(origin);
    expect(imported).toMatchObject({ submodules: 1, fileCount: 2 });
    const folder = await writeWorkspace(imported.tree, blobs);
    git(folder, ['add', '--all']);
    expect(git(folder, ['status', '--porcelain'])).toBe('');
    // Git refuses a file that makes it run a command when submodules are updated.
    gitAsAda(origin, 'mv', 'modules.txt', '.gitmodules');
    gitAsAda(origin, 'commit', '--quiet', '-m', 'evil');
    await expect(importFrom(origin)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(existsSync(marker)).toBe(false);
  });
});

describe('a hostile repository is refused', () => {
  it('when it is not below an allowed root, also through links', async () => {
    const allowed = makeFolder('allowed');
    const origin = createRepository({ 'a.md': 'one' });
    symlinkSync(origin, join(allowed, 'link'));
    for (const path of [
      origin,
      join(allowed, 'link'),
      join(allowed, 'missing'),
      `${allowed}/../${origin}`,
      `${allowed}x`,
    ])
      await expect(checkPath(path, { roots: [allowed] })).rejects.toMatchObject({ code: 'repository_refused' });
    await expect(checkPath(origin, { roots: [] })).rejects.toMatchObject({ code: 'repository_refused' });
    await expect(checkPath(origin, { roots: [origin] })).resolves.toMatchObject({ address: `${origin}/.git` });
  });

  it('when it leads to the objects of another one', async () => {
    const secret = createRepository({ 'secret.md': 'secret' });
    const alternates = createRepository({});
    writeFileSync(join(alternates, '.git/objects/info/alternates'), `${secret}/.git/objects\n`);
    const gitFile = makeFolder('worktree');
    writeFileSync(join(gitFile, '.git'), `gitdir: ${secret}/.git\n`);
    const linked = makeFolder('linked');
    symlinkSync(join(secret, '.git'), join(linked, '.git'));
    const inner = createRepository({});
    rmSync(join(inner, '.git/objects'), { recursive: true });
    symlinkSync(join(secret, '.git/objects'), join(inner, '.git/objects'));
    const common = createRepository({});
    writeFileSync(join(common, '.git/commondir'), `${secret}/.git\n`);
    for (const path of [alternates, gitFile, linked, inner, common, makeFolder('empty')])
      await expect(checkPath(path, { roots: ['/'] }), path).rejects.toMatchObject({ code: 'repository_refused' });
  });

  it('when an object has another content than its name says', async () => {
    // The object is chosen by its content: a forged commit or tree is refused for other reasons than a forged file.
    const origin = createRepository({ 'a.md': 'genuine\n', 'b.md': 'other\n' });
    const name = git(origin, ['hash-object', '--stdin'], { input: 'genuine\n' }).trim();
    const place = join(origin, '.git/objects', name.slice(0, 2), name.slice(2));
    rmSync(place);
    writeFileSync(place, deflateSync(Buffer.from('blob 7\0forged\n')));
    await expect(importFrom(origin)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it('when a tree contains names that lead elsewhere', async () => {
    const origin = createRepository({ 'a.md': 'one' });
    const blob = git(origin, ['hash-object', '--stdin', '-w'], { input: 'x' }).trim();
    const raw = (name: string): string => {
      const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
      const tree = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        cwd: origin,
        input: entry,
      });
      return tree.toString('utf8').trim();
    };
    for (const name of ['.git', '..', '.GIT', 'a\\b', 'a\u0001b', 'e\u0301']) {
      const commit = gitAsAda(origin, 'commit-tree', raw(name), '-m', 'evil').trim();
      gitAsAda(origin, 'update-ref', 'refs/heads/evil', commit);
      await expect(importFrom(origin, { ref: 'evil' }), name).rejects.toMatchObject({
        code: expect.stringMatching(/^(fetch_failed|repository_refused)$/),
      });
    }
  });

  it('when a link leads out of it', async () => {
    for (const target of ['/etc/passwd', '../../x', '.git/config', '../documents/x', '.GIT/hooks']) {
      const origin = createRepository({ 'evil.md': `-> ${target}` });
      await expect(importFrom(origin), target).rejects.toMatchObject({ code: 'repository_refused' });
    }
    await expect(importFrom(createRepository({ 'a/b.md': '-> ../c.md', 'c.md': 'c' }))).resolves.toBeDefined();
  });

  it('when it has too many or too large files, also those that git stores once', async () => {
    await expect(importFrom(createRepository({ a: 'a', b: 'b', c: 'c' }), { files: 2 })).rejects.toMatchObject({
      code: 'repository_too_large',
    });
    await expect(importFrom(createRepository({ a: 'a'.repeat(500) }), { bytes: 400 })).rejects.toMatchObject({
      code: 'repository_too_large',
    });
    const origin = createRepository({ a: 'a' });
    let tree = gitAsAda(origin, 'rev-parse', 'HEAD^{tree}').trim();
    for (let depth = 0; depth < 12; depth += 1) {
      const lines = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\t${index}\n`).join('');
      tree = git(origin, ['mktree'], { input: lines }).trim();
    }
    gitAsAda(origin, 'update-ref', 'refs/heads/bomb', gitAsAda(origin, 'commit-tree', tree, '-m', 'bomb').trim());
    await expect(importFrom(origin, { ref: 'bomb' })).rejects.toMatchObject({ code: 'repository_too_large' });
  });
});

describe('a request', () => {
  it('accepts names of refs only, so that none is an option or an expression', () => {
    const accepts = (ref: string): boolean => repositoryRequestSchema.safeParse({ path: '/r', ref }).success;
    expect(['main', 'refs/heads/x', 'v1.2', 'a/b-c', 'f'.repeat(40)].filter(accepts)).toHaveLength(5);
    const refused = [
      '--upload-pack=x',
      '-c',
      'a..b',
      'a b',
      'a:b',
      '+a',
      'HEAD~1',
      'a^',
      '@{-1}',
      'x.lock',
      'a//b',
      '/a',
      'a/',
      '',
    ];
    expect(refused.filter(accepts)).toEqual([]);
  });

  it('accepts no transport but HTTP and ssh, and no credentials', () => {
    const accepts = (url: string): boolean => repositoryRequestSchema.safeParse({ url }).success;
    expect(accepts('https://example.org/a/b.git')).toBe(true);
    const refused = [
      ...[
        'ext::sh -c id',
        'file:///etc',
        'file::/etc',
        '--upload-pack=x',
        'git://example.org/a',
        'ssh://-oProxyCommand=x/a',
      ],
      ...[
        'https://user:token@example.org/a',
        'https://token@example.org/a',
        'https://example.org/a?token=x',
        'https://',
      ],
      ...['https://example.org/a\nb', 'example.org:a/b', 'git@-oProxyCommand=x:a', 'git@example.org:-a'],
    ];
    expect(refused.filter(accepts)).toEqual([]);
    expect(repositoryRequestSchema.safeParse({ url: 'https://example.org/a', path: '/a' }).success).toBe(false);
  });

  it('reaches no private address and no protocol that is not allowed', async () => {
    const ssh = { program: '/usr/bin/ssh', knownHosts: undefined };
    const rules = { protocols: ['https'], networks: parseNetworks([]), ssh };
    const scratch = makeFolder('scratch');
    for (const url of [
      'https://127.0.0.1/a',
      'https://169.254.169.254/a',
      'https://[::1]/a',
      'http://1.1.1.1/a',
      'https://localhost/a',
      'git@1.1.1.1:a/b',
    ])
      await expect(checkUrl(url, rules, undefined, scratch), url).rejects.toMatchObject({ code: 'repository_refused' });
    const checked = await checkUrl('https://1.1.1.1/a', rules, 'the-token', scratch);
    expect(checked.address).toBe('https://1.1.1.1/a');
    expect(JSON.stringify([checked.address, checked.settings])).not.toContain('the-token');
  });
});
