import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commandBodySchema } from '@phaseline/domain';
import { importFiles, readGuardFiles } from '@phaseline/hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadGuardSets } from './load-guard-sets.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-sets-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SETTINGS = {
  env: { LEVEL: 'high' },
  hooks: {
    PreToolUse: [
      { matcher: 'Write', hooks: [{ type: 'command', command: '.claude/check.sh', onFailure: 'continue' }] },
    ],
    Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }],
  },
};

async function put(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Writes a guard set as the import does. */
async function putSet(agent: string, set: string, terms: Record<string, unknown> = {}): Promise<void> {
  const place = `${agent}/guards/${set}`;
  await put(`${place}/files/settings.json`, SETTINGS);
  await put(`${place}/files/check.sh`, 'exit 0');
  await chmod(join(folder, place, 'files/check.sh'), 0o755);
  const { version } = importFiles(await readGuardFiles(join(folder, place, 'files')));
  await put(`${place}/guard-set.yaml`, { name: set, owner: 'ada', version, ...terms });
}

const load = (...agents: string[]) => loadGuardSets(agents.map((agent) => join(folder, agent)));

describe('the guard sets of an agent', () => {
  it('become one guard per hook, and files of every job', async () => {
    await putSet('writer', 'team', { network: ['example.org'], secrets: ['KEY'], stage: 'shadow' });
    const { guards, files } = await load('writer');
    expect(guards).toMatchObject([
      {
        name: 'team.PreToolUse-1',
        kind: 'command',
        points: ['PreToolUse'],
        stage: 'shadow',
        scope: 'agent',
        owner: 'ada',
        onFailure: 'continue',
        timeoutMs: 10_000,
        idempotent: false,
      },
      { name: 'team.Stop-1', kind: 'judge', points: ['Stop'], onFailure: 'deny' },
    ]);
    expect(commandBodySchema.parse(guards[0]!.body)).toMatchObject({
      set: 'team',
      handler: { matcher: 'Write', command: '.claude/check.sh' },
      env: { LEVEL: 'high' },
      network: ['example.org'],
      secrets: ['KEY'],
    });
    expect(files.map(({ path, mode }) => [path, mode])).toEqual([
      ['guard_sets/team/check.sh', 'executable'],
      ['guard_sets/team/settings.json', undefined],
    ]);
  });

  it('have another version after each change of a script, which has to be imported again', async () => {
    await putSet('writer', 'team');
    const before = (await load('writer')).guards[0]!.version;
    await put('writer/guards/team/files/check.sh', 'exit 2');
    await expect(load('writer')).rejects.toThrow(/guard-set\.yaml:1:\d+: version: .*import them again/);
    const { version } = importFiles(await readGuardFiles(join(folder, 'writer/guards/team/files')));
    await put('writer/guards/team/guard-set.yaml', { name: 'team', owner: 'ada', version });
    expect((await load('writer')).guards[0]!.version).not.toBe(before);
  });

  it('replace those of the same name that are inherited, as a whole', async () => {
    await putSet('base', 'team');
    await putSet('writer', 'team', { owner: 'grace' });
    await rm(join(folder, 'writer/guards/team/files/check.sh'));
    await put('writer/guards/team/files/settings.json', {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    });
    const { version } = importFiles(await readGuardFiles(join(folder, 'writer/guards/team/files')));
    await put('writer/guards/team/guard-set.yaml', { name: 'team', owner: 'grace', version });
    const { guards, files } = await load('base', 'writer');
    expect(guards.map(({ name, owner }) => [name, owner])).toEqual([['team.Stop-1', 'grace']]);
    expect(files.map(({ path }) => path)).toEqual(['guard_sets/team/settings.json']);
  });

  it.each([
    ['another name', { name: 'other' }, /name: expected 'team'/],
    ['an unknown member', { allow: [] }, /allow/],
    ['a stage that does not exist', { stage: 'live' }, /stage/],
  ])('is refused with %s', async (_what, terms, message) => {
    await putSet('writer', 'team', terms);
    await expect(load('writer')).rejects.toThrow(message);
  });

  it('is refused without its file, with invalid settings, and with a link', async () => {
    await put('writer/guards/team/readme.md', 'x');
    await expect(load('writer')).rejects.toThrow(/team: expected a guard set with a guard-set\.yaml/);
    await rm(join(folder, 'writer/guards/team'), { recursive: true });
    await putSet('writer', 'team');
    await put('writer/guards/team/files/settings.json', '{');
    await expect(load('writer')).rejects.toThrow(/version/);
    await cp(join(folder, 'writer/guards/team'), join(folder, 'writer/guards/team.new'), { recursive: true });
    await rm(join(folder, 'writer/guards/team'), { recursive: true });
    expect(await load('writer')).toEqual({ guards: [], files: [] });
  });
});
