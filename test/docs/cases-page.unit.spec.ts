import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCase, runCase } from '@phaseline/cases';
import { loadDefinitions } from '@phaseline/definitions';
import { modelProfileSchema } from '@phaseline/model';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = await readFile(join(root, 'docs/how-to/cases.md'), 'utf8');
const [example, tools] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => yaml!);

it('the case of the page passes, also with its results of tools', async () => {
  const defects = join(root, 'libs/cases/defects');
  const definitions = await loadDefinitions({
    agentsDir: join(defects, 'agents'),
    workflowsDir: join(defects, 'workflows'),
    modelsDir: join(defects, 'models'),
    modelSchema: modelProfileSchema,
  });
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-case-'));
  try {
    await writeFile(join(folder, 'case.yaml'), `${example}${tools}`);
    const loaded = await loadCase(join(folder, 'case.yaml'));
    const { failures } = await runCase(loaded, { definitions, agent: 'worker', signal: new AbortController().signal });
    expect(failures).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
