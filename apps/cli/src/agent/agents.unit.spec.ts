import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { projectRoot } from '../stack/project-files.js';
import { fakeHost } from '../testing/fake-streams.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function agents(command: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string }> {
  const host = fakeHost({ env, currentDirectory: folder });
  return { code: await runCli(['agents', ...command.split(' ')], host), out: host.stdout.text };
}

describe('the definitions that ship', () => {
  it('are valid and hold the creator', async () => {
    const { code, out } = await agents('validate');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^All definitions are valid: \d+ agents?, /) as string,
    });
    expect((await agents('list')).out).toMatch(/^creator\s+phase-alternation\s+default\s+/m);
  });
});

describe('a definition that is not valid', () => {
  it('is told with file, line and what was expected, and is exit code 1', async () => {
    await cp(join(projectRoot, 'agents'), folder, { recursive: true });
    const file = join(folder, 'creator', 'agent.yaml');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('workflow: phase-alternation', 'workflow: phase-alternaton'),
    );
    const { code, out } = await agents('validate', { PHASELINE_AGENTS_DIR: folder });
    expect(code).toBe(1);
    expect(out).toMatch(/^creator\/agent\.yaml:\d+:\d+: workflow: .*did you mean 'phase-alternation'/m);
    const asJson = await agents('validate --json', { PHASELINE_AGENTS_DIR: folder });
    expect(JSON.parse(asJson.out)).toMatchObject({ valid: false, complaints: [{ file }] });
  });
});
