import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadGuardFolders, loadGuards } from './load-guards.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guards-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const RULE = `name: no-code
owner: ada
when: { tool: write_file, args: { path: { glob: 'src/**' } } }
then: { deny: '{args.path} is closed' }
`;

describe('guards in a folder', () => {
  it('are rules and scripts, in production at PreToolUse unless they say otherwise', async () => {
    await write('no-code.yaml', RULE);
    await write(
      'own.yaml',
      'name: own\nowner: ada\nstage: shadow\npoints: [PreToolUse, Stop]\nonFailure: continue\nscript: own.js\n',
    );
    await write('own.js', '() => null');
    expect(await loadGuards(folder, 'agent')).toMatchObject([
      { name: 'no-code', kind: 'rule', scope: 'agent', stage: 'production', points: ['PreToolUse'], onFailure: 'deny' },
      {
        name: 'own',
        kind: 'script',
        stage: 'shadow',
        points: ['PreToolUse', 'Stop'],
        onFailure: 'continue',
        body: { code: '() => null' },
      },
    ]);
    expect(await loadGuards(join(folder, 'absent'), 'agent')).toEqual([]);
  });

  it('have a version that follows what they decide, and nothing else', async () => {
    const version = async (): Promise<string> => (await loadGuards(folder, 'agent'))[0]!.version;
    await write('no-code.yaml', RULE);
    const first = await version();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    await write('no-code.yaml', `# a comment\nstage: shadow\n${RULE}`);
    expect(await version()).toBe(first);
    await write('no-code.yaml', RULE.replace('src/**', 'lib/**'));
    expect(await version()).not.toBe(first);
    await write('no-code.yaml', 'name: no-code\nowner: ada\nscript: x.js\n');
    await write('x.js', '() => null');
    const script = await version();
    await write('x.js', '() => undefined');
    expect(await version()).not.toBe(script);
  });

  it('of a later folder replace those with the same name', async () => {
    await write('one/no-code.yaml', RULE);
    await write('two/no-code.yaml', RULE.replace('ada', 'bob'));
    const guards = await loadGuardFolders([join(folder, 'one'), join(folder, 'two')], 'system');
    expect(guards).toMatchObject([{ owner: 'bob', scope: 'system' }]);
  });

  it.each([
    ['another name than its file', RULE.replace('no-code', 'code'), /no-code\.yaml:1:\d+: name: expected 'no-code'/],
    ['an unknown condition', RULE.replace('tool:', 'tol:'), /no-code\.yaml:3:\d+: when: unknown key 'tol'/],
    ['an unknown operator', RULE.replace('glob', 'glub'), /no-code\.yaml:3/],
    [
      'a pattern that is not linear',
      RULE.replace("{ glob: 'src/**' }", "{ matches: '(?=x)' }"),
      /no-code\.yaml:3:.*(?:RE2|look)/,
    ],
    ['an unknown placeholder', RULE.replace('{args.path}', '{moon}'), /no-code\.yaml:4:.*no placeholder \{moon\}/],
    ['no action', RULE.split('then')[0]!, /expected 'then'/],
    ['a rule and a script', `${RULE}script: x.js\n`, /expected either 'when' and 'then', or 'script'/],
    ['neither', 'name: no-code\nowner: ada\n', /expected either 'when' and 'then', or 'script'/],
    [
      'an action without effect at a hook point',
      `${RULE}points: [PreToolUse, SessionStart]\n`,
      /no-code\.yaml:5:\d+: points\.1: 'deny' has no effect at SessionStart; it allows context/,
    ],
    ['a verifier in a rule', RULE.replace('tool: write_file', 'checks: [{ verifier: unit }]'), /a rule is pure/],
    ['a script outside of its folder', 'name: no-code\nowner: ada\nscript: ../x.js\n', /a \.js file beside this one/],
    ['a missing script', 'name: no-code\nowner: ada\nscript: absent.js\n', /absent\.js/],
  ])('are refused with %s, with file and line', async (_what, text, message) => {
    await write('no-code.yaml', text);
    await expect(loadGuards(folder, 'agent')).rejects.toThrow(message);
  });
});
