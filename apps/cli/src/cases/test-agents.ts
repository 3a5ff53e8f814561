import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CaseResult, RunCasesRequest } from '@phaseline/contracts';
import { getDefinitionFolders } from '../agents/definition-folders.js';
import { selectDefinitions } from '../agents/select-definitions.js';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { renderCaseResult, renderCaseSummary } from './render-cases.js';
import { runCaseProgram } from './run-case-program.js';

export interface TestAgentsOptions {
  readonly case?: string;
  readonly model?: string;
}

/**
 * `phaseline agents test [AGENT|FOLDER]`: runs the cases beside the agents, or those of a folder of cases. Exit code 1 if one fails or cannot be
 * used.
 */
export async function testAgents(
  context: CommandContext,
  target: string | undefined,
  { case: name, model }: TestAgentsOptions,
): Promise<ExitCode> {
  const { out } = context;
  const request: RunCasesRequest = {
    kind: 'run',
    ...(await selectCases(context, target)),
    ...(name === undefined ? {} : { case: name }),
    ...(model === undefined ? {} : { model }),
  };
  const results: CaseResult[] = [];
  const problems: string[] = [];
  for await (const message of runCaseProgram(request, context)) {
    if (message.kind === 'invalid') {
      problems.push(...message.problems);
      if (!out.isStructured) out.writeLines(...message.problems.map((problem) => `${out.paint.red('✗')} ${problem}`));
    }
    if (message.kind !== 'ran') continue;
    results.push(message.result);
    if (!out.isStructured) out.writeLines(...renderCaseResult(message.result, out.paint));
  }
  if (results.length + problems.length === 0) throw new UsageError(describeNothing(target, name));
  const passed = problems.length === 0 && results.every((result) => result.passed);
  if (out.isStructured) out.writeDocument({ passed, cases: results, problems });
  else out.writeLines(renderCaseSummary(results, problems.length));
  return passed ? exitCode.ok : exitCode.failed;
}

/** Selects the cases of a folder, or those beside the agents that a name or a folder chooses. */
export async function selectCases(
  context: CommandContext,
  target: string | undefined,
): Promise<Pick<RunCasesRequest, 'folders' | 'agent' | 'casesFolder'>> {
  const all = getDefinitionFolders(context.env);
  const folder = target === undefined ? undefined : resolve(context.currentDirectory, target);
  const { folders = all, agent } =
    folder !== undefined && (await containsCases(folder)) ? {} : await selectDefinitions(context, target);
  const casesFolder = folder !== undefined && (await containsCases(folder)) ? { casesFolder: folder } : {};
  return {
    folders: {
      agentsDir: [...folders.agentsDir],
      workflowsDir: [...folders.workflowsDir],
      modelsDir: [...folders.modelsDir],
    },
    ...(agent === undefined ? {} : { agent }),
    ...casesFolder,
  };
}

/** Whether a folder is a case, or contains some. */
async function containsCases(folder: string): Promise<boolean> {
  if (existsSync(join(folder, 'case.yaml'))) return true;
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => existsSync(join(folder, name, 'case.yaml')));
}

function describeNothing(target: string | undefined, name: string | undefined): string {
  const which = name === undefined ? 'no case' : `no case ${name}`;
  const where = target === undefined ? 'beside any agent' : `in ${target}`;
  return `There is ${which} ${where}. A case is a file agents/AGENT/cases/CASE/case.yaml.`;
}
