import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { AgentValidation, ValidateAgentRequest } from '@phaseline/client';
import {
  findWarnings,
  listFolders,
  loadUsableDefinitions,
  type DefinitionPath,
  type DefinitionProblem,
  type Variables,
} from '@phaseline/definitions';
import { packSpecs } from '@phaseline/pack-specs';
import type { z } from 'zod';

const PLACEHOLDER = 'These instructions are a placeholder: none were given.\n';

/**
 * Checks files as an agent, against the tools, workflows, model profiles and agents of this server. They are written to a folder of their
 * own, which is removed: nothing is stored, and nothing in them runs.
 */
export async function validateAgentFiles(
  { name, files }: ValidateAgentRequest,
  places: {
    readonly agentsDir: DefinitionPath;
    readonly workflowsDir: DefinitionPath;
    readonly modelsDir: DefinitionPath;
    readonly variables: Variables;
    readonly modelSchema: z.ZodType<{ readonly name: string }>;
  },
): Promise<AgentValidation> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-agent-'));
  try {
    for (const [path, text] of Object.entries({ 'instructions.md': PLACEHOLDER, ...files })) {
      const file = join(folder, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const { agents, workflows, problems } = await loadUsableDefinitions({
      ...places,
      agentsDir: [...listFolders(places.agentsDir), folder],
      tools: packSpecs.flatMap(({ tools }) => tools),
      only: [name],
    });
    const agent = agents.find(name);
    const warnings = agent ? findWarnings(agent, workflows.find(agent.definition.workflow)?.definition) : [];
    // Problems in other definitions concern nobody who checks this one, unless it extends them.
    const own = agent ? problems.filter(({ file }) => file.startsWith(folder)) : problems;
    const shorten = (problem: DefinitionProblem): DefinitionProblem => ({
      ...problem,
      file: problem.file.replace(`${folder}${sep}${name}${sep}`, ''),
    });
    return {
      passed: agent !== undefined && own.length === 0,
      problems: own.map(shorten),
      warnings: warnings.map(shorten),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
