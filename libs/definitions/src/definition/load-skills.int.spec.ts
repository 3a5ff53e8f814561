import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatProblem, InvalidDefinitions } from '../definition-errors.js';
import { loadSkills } from './load-skills.js';

let agent: string;
beforeEach(async () => {
  agent = await mkdtemp(join(tmpdir(), 'phaseline-skills-'));
});
afterEach(() => rm(agent, { recursive: true, force: true }));

async function put(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(agent, path)), { recursive: true });
  await writeFile(join(agent, path), text);
}

async function loadProblems(): Promise<readonly string[]> {
  try {
    await loadSkills(agent);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    return error.problems.map((one) => formatProblem(one).replaceAll(`${agent}/`, ''));
  }
}

const skill = (name: string, description = 'For tests.', body = 'Do this.'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

describe('the skills of an agent', () => {
  it('are read with name, single-line description and all files except hidden ones', async () => {
    await put('skills/tables/SKILL.md', skill('tables', '>\n  How tables\n  are drawn.', 'Draw lines.'));
    await put('skills/tables/examples/wide.csv', 'a,b\n');
    await put('skills/tables/logo.png', Uint8Array.of(0xff, 0xd8, 0));
    await put('skills/tables/.git/config', 'x');
    await put(
      'skills/letters/SKILL.md',
      '---\r\nname: letters\r\ndescription: Letters.\r\nlicense: MIT\r\n---\r\nDear.\r\n',
    );
    const { skills, files } = await loadSkills(agent);
    expect(skills).toEqual([
      { name: 'letters', description: 'Letters.' },
      { name: 'tables', description: 'How tables are drawn.' },
    ]);
    expect(files.map(({ path }) => path)).toEqual([
      'skills/letters/SKILL.md',
      'skills/tables/SKILL.md',
      'skills/tables/examples/wide.csv',
      'skills/tables/logo.png',
    ]);
    expect(files[3]!.content).toEqual(Buffer.of(0xff, 0xd8, 0));
  });

  it('are optional', async () => {
    expect(await loadSkills(agent)).toEqual({ skills: [], files: [] });
  });

  it('are rejected with file and line, all together', async () => {
    await put('skills/a/SKILL.md', '---\nname: a\ndescripton: x\n---\nDo.\n');
    await put('skills/b/SKILL.md', skill('other'));
    await put('skills/c/SKILL.md', 'Do.\n');
    await put('skills/d/SKILL.md', '---\nname: d\ndescription: x\n');
    await put('skills/e/SKILL.md', skill('e', 'x', '  '));
    await put('skills/f/readme.md', 'x');
    await put('skills/g/SKILL.md', '---\nname: g\ndescription: "x\n---\nDo.\n');
    const found = await loadProblems();
    expect(found.map((one) => one.split(': ')[0])).toEqual([
      'skills/a/SKILL.md:2:1',
      'skills/b/SKILL.md:2:7',
      'skills/c/SKILL.md:1:1',
      'skills/d/SKILL.md:4:1',
      'skills/e/SKILL.md:4:1',
      'skills/f/SKILL.md',
      expect.stringMatching(/^skills\/g\/SKILL.md:3/),
    ]);
    expect(found[0]).toContain('description: missing');
    expect(found[1]).toContain("expected 'b' like the name of the folder, found 'other'");
  });

  it('must not lead out of the agent by a link', async () => {
    await put('skills/a/SKILL.md', skill('a'));
    await symlink('/etc/hostname', join(agent, 'skills/a/stolen.txt'));
    expect(await loadProblems()).toEqual(['skills/a/stolen.txt: expected a regular file below the agent']);
  });
});
