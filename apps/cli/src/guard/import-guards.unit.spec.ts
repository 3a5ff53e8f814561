import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../run-cli.js';
import { projectRoot } from '../stack/project-files.js';
import { createFakeHost } from '../testing/fake-streams.js';

const FIXTURE = join(projectRoot, 'libs/hooks/src/fixtures/claude');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phaseline-guards-spec-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function put(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const command = (text: string, more: object = {}) => ({ hooks: [{ type: 'command', command: text, ...more }] });

async function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const host = createFakeHost({ env: { PHASELINE_AGENTS_DIR: join(folder, 'agents') }, currentDirectory: folder });
  const code = await runCli(['guards', 'import', ...args], host);
  return { code, out: host.stdout.text, error: host.stderr.text };
}

describe('phaseline guards import', () => {
  it('copies settings and scripts unchanged into a guard set of the agent', async () => {
    cpSync(FIXTURE, join(folder, 'project/.claude'), { recursive: true });
    put('agents/writer/agent.yaml', 'name: writer');
    const { code, out } = await run('project', '--agent', 'writer', '--owner', 'platform');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Guard set project, version ') as string });
    const set = join(folder, 'agents/writer/guards/project');
    for (const name of readdirSync(join(FIXTURE, 'hooks'))) {
      expect(readFileSync(join(set, 'files/hooks', name))).toEqual(readFileSync(join(FIXTURE, 'hooks', name)));
      expect(statSync(join(set, 'files/hooks', name)).mode & 0o111).not.toBe(0);
    }
    const { version } = JSON.parse((await run('project', '--json')).out) as { version: string };
    expect(readFileSync(join(set, 'guard-set.yaml'), 'utf8')).toContain(
      `owner: "platform"\nstage: production\nversion: ${version}`,
    );
  });

  it('gives another version to each change of a script, and leaves no file of an earlier one', async () => {
    put('agents/writer/agent.yaml', 'name: writer');
    put('set/settings.json', { hooks: { Stop: [command('sh .claude/a.sh')] } });
    put('set/a.sh', 'exit 0');
    put('set/old.txt', '');
    const version = async (): Promise<string> =>
      (JSON.parse((await run('set', '--agent', 'writer', '--json')).out) as { version: string }).version;
    const first = await version();
    expect(await version()).toBe(first);
    put('set/a.sh', 'exit 2');
    rmSync(join(folder, 'set/old.txt'));
    expect(await version()).not.toBe(first);
    expect(readdirSync(join(folder, 'agents/writer/guards/set/files')).sort()).toEqual(['a.sh', 'settings.json']);
  });

  it('writes nothing without an agent', async () => {
    put('set/settings.json', { hooks: { Stop: [command('true')] } });
    expect(await run('set')).toMatchObject({ code: 0, out: expect.stringContaining('--agent NAME') });
    expect(readdirSync(folder)).toEqual(['set']);
  });

  it('names what never fires here and fails, unless it is accepted', async () => {
    put('agents/writer/agent.yaml', 'name: writer');
    put('set/settings.json', {
      hooks: { FileChanged: [command('true')], PreToolUse: [{ hooks: [{ type: 'http', url: 'https://x' }] }] },
    });
    const refused = await run('set', '--agent', 'writer');
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/settings\.json: hooks\.FileChanged: FileChanged never fires here[^]*http handlers/);
    expect(existsSync(join(folder, 'agents/writer/guards'))).toBe(false);
    expect((await run('set', '--agent', 'writer', '--allow-unsupported')).code).toBe(0);
    expect(existsSync(join(folder, 'agents/writer/guards/set/guard-set.yaml'))).toBe(true);
  });

  it.each([
    ['sh scripts/check.sh', /scripts\/check\.sh is a file of the workspace/],
    ['"$CLAUDE_PROJECT_DIR"/scripts/check', /scripts\/check is a file of the workspace/],
    ['~/.claude/check.sh', /is outside of the folder/],
    ['python3 /home/me/check.py', /is outside of the folder/],
  ])('names a script that is not part of the guard set: %s', async (line, message) => {
    put('set/settings.json', { hooks: { Stop: [command(line)] } });
    const { code, out } = await run('set');
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(message) as string });
  });

  it.each([
    ['{"hooks": ', /not valid JSON/],
    [{ hooks: { Stopp: [] } }, /no event 'Stopp'/],
    [{ hooks: { Stop: [command('.claude/missing.sh')] } }, /\.claude\/missing\.sh does not exist/],
  ])('refuses what is invalid, also with --allow-unsupported: %j', async (settings, message) => {
    put('set/settings.json', settings);
    const { code, out } = await run('set', '--allow-unsupported');
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(message) as string });
  });

  it('says what happens when a hook fails: nothing is denied where nothing can be', async () => {
    const settings = {
      SessionStart: [command('true')],
      Stop: [command('true'), command('true', { onFailure: 'continue' })],
    };
    put('set/settings.json', { hooks: settings });
    const rows = (await run('set')).out.split('\n').filter((line) => line.includes('when it fails'));
    expect(rows.map((row) => row.trim())).toEqual([
      'SessionStart-1 * true 10 s continues when it fails',
      'Stop-1 * true 600 s denies when it fails',
      'Stop-2 * true 600 s continues when it fails',
    ]);
  });

  it('reads the hooks of a plugin, and those of all settings files together', async () => {
    put('plugin/hooks/hooks.json', {
      description: 'x',
      hooks: { Stop: [command('${CLAUDE_PLUGIN_ROOT}/hooks/a.sh')] },
    });
    put('plugin/hooks/a.sh', '');
    expect((await run('plugin')).code).toBe(0);
    put('set/settings.json', { hooks: { Stop: [command('true')] } });
    put('set/settings.local.json', { hooks: { Stop: [command('false')] } });
    const { handlers } = JSON.parse((await run('set', '--json')).out) as { handlers: { name: string }[] };
    expect(handlers.map(({ name }) => name)).toEqual(['Stop-1', 'Stop-2']);
  });

  it('explains a folder, a name or an agent that cannot be used', async () => {
    put('empty/readme.md', '');
    expect(await run('empty')).toMatchObject({ code: 2, error: expect.stringContaining('has no hooks') });
    put('set/settings.json', { hooks: {} });
    expect(await run('set', '--name', 'A B')).toMatchObject({ code: 2, error: expect.stringContaining('--name') });
    expect(await run('set', '--agent', 'nobody')).toMatchObject({
      code: 2,
      error: expect.stringContaining('There is no agent'),
    });
    expect(await run('set', '--agent', 'creator')).toMatchObject({
      code: 2,
      error: expect.stringContaining('comes with Phaseline'),
    });
    symlinkSync('/etc/passwd', join(folder, 'set/link'));
    expect(await run('set')).toMatchObject({ error: expect.stringContaining('link is not a regular file') });
  });
});
