import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InvalidDefinitions } from '../definition-errors.js';
import { loadPatterns } from './load-patterns.js';

const shipped = join(import.meta.dirname, '../../../../agents/planner');

let own: string;
beforeEach(async () => {
  own = await mkdtemp(join(tmpdir(), 'patterns-'));
  await mkdir(join(own, 'patterns'));
});
afterEach(() => rm(own, { recursive: true, force: true }));

async function change(name: string, replace: (text: string) => string): Promise<void> {
  const file = join(own, 'patterns', name);
  await cp(join(shipped, 'patterns', name), file);
  await writeFile(file, replace(await readFile(file, 'utf8')));
}

it('loads the patterns of an agent and of those that it extends; the nearest counts', async () => {
  await change('milestone_project.yaml', (text) => text.replace('max: 12', 'max: 3'));
  const files = await loadPatterns([shipped, own]);
  expect(files.map(({ path }) => path)).toHaveLength(5);
  const project = files.find(({ path }) => path === 'patterns/milestone_project.json')!;
  expect(JSON.parse(Buffer.from(project.content).toString())).toMatchObject({ level1: { max: 3 } });
});

it.each([
  ['a name that differs from that of the file', 'pattern: milestone_project', 'pattern: recurring_cycle'],
  ['a grammar that no plan could fulfil', 'needs: [L2 once, L3 once]', 'needs: [L4 recurring]'],
  ['an unknown member', 'subtypes: []', 'subtypes: []\nmood: good'],
])('reports %s', async (_, before, after) => {
  await change('milestone_project.yaml', (text) => text.replace(before, after));
  await expect(loadPatterns([shipped, own])).rejects.toThrow(InvalidDefinitions);
});
