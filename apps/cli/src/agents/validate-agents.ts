import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findWarnings, formatProblem, type DefinitionProblem } from '@phaseline/definitions';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { getDefinitionFolders } from './definition-folders.js';
import { tryAllDefinitions, type DefinitionSelection } from './load-all-definitions.js';
import { findMissingSecrets } from './find-missing-secrets.js';

/**
 * `phaseline agents validate [NAME|FOLDER]`: prints every problem with its file, its line and what was expected; exit code 1 if
 * there is any. Warnings do not change the exit code. Throws UnknownDefinition.
 */
export async function validateAgents(
  context: CommandContext,
  target: string | undefined,
  { tenant }: { readonly tenant: string },
): Promise<ExitCode> {
  const { out, env, currentDirectory } = context;
  const selection = await selectDefinitions(context, target);
  const { agents, workflows, models, problems } = await tryAllDefinitions(env, selection);
  const warnings = [
    ...[...agents].flatMap((agent) => findWarnings(agent, workflows.find(agent.definition.workflow)?.definition)),
    ...(await findMissingSecrets(context, agents, tenant)),
  ];
  const counts = { agents: agents.names.length, workflows: workflows.names.length, models: models.names.length };
  const passed = problems.length === 0;
  if (out.isStructured) out.writeDocument({ passed, counts, problems, warnings });
  else {
    const format = (problem: DefinitionProblem): string =>
      formatProblem({ ...problem, file: relative(currentDirectory, problem.file) });
    out.writeLines(...problems.map(format));
    for (const warning of warnings) out.writeMessage(`${out.errorPaint.yellow('warning')}  ${format(warning)}`);
    if (passed)
      out.writeLines(
        selection.agent === undefined
          ? `All definitions are valid: ${pluralise(counts.agents, 'agent')}, ${pluralise(counts.workflows, 'workflow')}, ${pluralise(counts.models, 'model profile')}.`
          : `The agent ${selection.agent} is valid.`,
      );
  }
  return passed ? exitCode.ok : exitCode.failed;
}

/** `target` is a folder of agents, the folder of one agent, or the name of an agent. */
async function selectDefinitions(
  { env, currentDirectory }: CommandContext,
  target: string | undefined,
): Promise<DefinitionSelection> {
  if (target === undefined) return {};
  const folders = getDefinitionFolders(env);
  const path = resolve(currentDirectory, target);
  const looksLikePath = /[/\\]|^\.+$/.test(target);
  if (!looksLikePath && !(await isFolder(path))) return { agent: target };
  // An agent's name wins over a folder of that name in the current directory.
  const named = await Promise.all(folders.agentsDir.map((folder) => isFolder(join(folder, target))));
  if (!looksLikePath && named.includes(true)) return { agent: target };
  const definitionFiles = ['agent.yaml', 'agent.yml', 'agent.json'];
  if (definitionFiles.some((name) => existsSync(join(path, name))))
    return { folders: { ...folders, agentsDir: [...folders.agentsDir, dirname(path)] }, agent: basename(path) };
  return { folders: { ...folders, agentsDir: [path] } };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
