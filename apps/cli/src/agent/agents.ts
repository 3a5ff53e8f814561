import { join, relative } from 'node:path';
import { formatComplaint, InvalidDefinitions, loadDefinitions, type Definitions } from '@phaseline/definitions';
import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { printable } from '../output/printable.js';
import { counted } from '../output/quantities.js';
import { tableLines } from '../output/table.js';
import { projectRoot } from '../stack/project-files.js';

/** Where definitions lie: the folders that the services are told by the same variables. */
export interface DefinitionFolders {
  readonly agentsDir: string;
  readonly workflowsDir: string;
  readonly modelsDir: string;
}

export function definitionFolders(env: NodeJS.ProcessEnv): DefinitionFolders {
  const folder = (variable: string, name: string): string => env[variable]?.trim() || join(projectRoot, name);
  return {
    agentsDir: folder('PHASELINE_AGENTS_DIR', 'agents'),
    workflowsDir: folder('PHASELINE_WORKFLOWS_DIR', 'workflows'),
    modelsDir: folder('PHASELINE_MODELS_DIR', 'models'),
  };
}

/** `phaseline agents list`. Throws InvalidDefinitions. */
export async function listAgents({ out, env }: CommandContext): Promise<ExitCode> {
  const { agents } = await loadAllDefinitions(env);
  const rows = [...agents].map(({ name, definition, hash, file }) => ({ name, definition, hash, file }));
  if (out.json) {
    out.document({
      agents: rows.map(({ name, definition, hash, file }) => ({
        name,
        displayName: definition.displayName,
        description: definition.description,
        workflow: definition.workflow,
        models: definition.models,
        hash,
        file,
      })),
    });
    return exitCode.ok;
  }
  const lines = tableLines(
    [
      { title: 'AGENT', cell: (row) => row.name },
      { title: 'WORKFLOW', cell: (row) => row.definition.workflow },
      {
        title: 'MODELS',
        cell: ({ definition: { models } }) =>
          models.strategic === models.tactical ? models.strategic : `${models.strategic}, ${models.tactical}`,
      },
      { title: 'DESCRIPTION', cell: (row) => printable(row.definition.description) },
    ],
    rows,
    { width: out.columns, title: out.paint.dim },
  );
  out.lines(...lines);
  return exitCode.ok;
}

/** `phaseline agents validate`: every complaint with file, line and what was expected; exit code 1 when there is one. */
export async function validateAgents({ out, env, currentDirectory }: CommandContext): Promise<ExitCode> {
  try {
    const { agents, workflows, models } = await loadAllDefinitions(env);
    const counts = { agents: agents.names.length, workflows: workflows.names.length, models: models.names.length };
    if (out.json) out.document({ valid: true, ...counts, complaints: [] });
    else
      out.lines(
        `All definitions are valid: ${counted(counts.agents, 'agent')}, ${counted(counts.workflows, 'workflow')}, ${counted(counts.models, 'model profile')}.`,
      );
    return exitCode.ok;
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    if (out.json) out.document({ valid: false, complaints: error.complaints });
    else
      out.lines(
        ...error.complaints.map((complaint) =>
          formatComplaint({ ...complaint, file: relative(currentDirectory, complaint.file) }),
        ),
      );
    return exitCode.failed;
  }
}

/** Agents, workflows and model profiles as this command's environment places them. Throws InvalidDefinitions. */
export function loadAllDefinitions(env: NodeJS.ProcessEnv): Promise<Definitions<ModelProfile>> {
  return loadDefinitions({ ...definitionFolders(env), modelSchema: modelProfileSchema, variables: openSettings(env) });
}

/** What a model profile may refer to, by the rule of the services: settings, and nothing that may hold a secret. */
function openSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => name.startsWith('PHASELINE_') && !/KEY|SECRET|TOKEN$|PASSWORD|URL/.test(name),
    ),
  );
}
