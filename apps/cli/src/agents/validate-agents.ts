import { relative } from 'node:path';
import { findWarnings, formatProblem, type DefinitionProblem } from '@phaseline/definitions';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { findMissingSecrets } from './find-missing-secrets.js';
import { tryAllDefinitions } from './load-all-definitions.js';
import { selectDefinitions } from './select-definitions.js';

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
