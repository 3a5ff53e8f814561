import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDefinitions } from '@phaseline/definitions';
import { modelProfileSchema } from '@phaseline/model';
import { packSpecs } from '@phaseline/pack-specs';
import { expect, it } from 'vitest';
import { findCaseFiles, loadCase } from './load-cases.js';
import { runCase } from './run-case.js';

/** Defects that agents or the engine had, as cases. Each mutation that begins with `case-` reverts the repair of one of them. */
const folder = fileURLToPath(new URL('../defects', import.meta.url));

const definitions = await loadDefinitions({
  agentsDir: join(folder, 'agents'),
  workflowsDir: join(folder, 'workflows'),
  modelsDir: join(folder, 'models'),
  modelSchema: modelProfileSchema,
  tools: packSpecs.flatMap(({ tools }) => tools),
});
const cases: [agent: string, name: string, file: string][] = [];
for (const agent of definitions.agents)
  for (const file of await findCaseFiles(join(dirname(agent.file), 'cases')))
    cases.push([agent.name, basename(dirname(file)), file]);

it.each(cases)('%s: %s', async (agent, name, file) => {
  const loaded = await loadCase(file);
  expect(loaded.definition.name).toBe(name);
  const { failures } = await runCase(loaded, { definitions, agent, signal: new AbortController().signal });
  expect(failures).toEqual([]);
});
