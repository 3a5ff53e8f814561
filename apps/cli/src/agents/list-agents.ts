import { relative } from 'node:path';
import { formatProblem } from '@phaseline/definitions';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { getDefinitionFolders, describeFolder } from './definition-folders.js';
import { tryAllDefinitions } from './load-all-definitions.js';

interface Row {
  readonly name: string;
  readonly workflow: string;
  readonly models: string;
  readonly from: string;
  readonly description: string;
}

/** `phaseline agents list`: the usable agents, then the broken ones. Exit code 1 if any is broken. */
export async function listAgents({ out, env, currentDirectory }: CommandContext): Promise<ExitCode> {
  const { agents, brokenAgents, problems } = await tryAllDefinitions(env);
  const usable = [...agents];
  if (out.isStructured) {
    out.writeDocument({
      items: usable.map(({ name, definition, hash, file, from, extends: chain }) => ({
        name,
        displayName: definition.displayName,
        description: definition.description,
        workflow: definition.workflow,
        models: definition.models,
        hash,
        file,
        folder: describeFolder(from, currentDirectory),
        extends: chain,
      })),
      brokenAgents,
      problems,
    });
    return problems.length === 0 ? exitCode.ok : exitCode.failed;
  }
  const rows: readonly Row[] = [
    ...usable.map(({ name, from, definition: { workflow, models, description } }) => ({
      name,
      workflow,
      models: models.strategic === models.tactical ? models.strategic : `${models.strategic}, ${models.tactical}`,
      from: describeFolder(from, currentDirectory),
      description: toPrintable(description),
    })),
    ...brokenAgents.map((name) => ({
      name,
      workflow: 'broken',
      models: '–',
      from: '–',
      description: 'see below; running services keep the last valid version',
    })),
  ];
  out.writeLines(
    ...renderTable(
      [
        { title: 'AGENT', cell: (row) => row.name },
        { title: 'WORKFLOW', cell: (row) => row.workflow },
        { title: 'MODELS', cell: (row) => row.models },
        { title: 'FROM', cell: (row) => toPrintable(row.from) },
        { title: 'DESCRIPTION', cell: (row) => row.description },
      ],
      rows,
      { width: out.columns, title: out.paint.dim },
    ),
  );
  if (rows.length === 0)
    out.writeMessage(`${pluralise(0, 'agent')} in ${getDefinitionFolders(env).agentsDir.join(', ')}`);
  for (const problem of problems)
    out.writeMessage(formatProblem({ ...problem, file: relative(currentDirectory, problem.file) }));
  return problems.length === 0 ? exitCode.ok : exitCode.failed;
}
