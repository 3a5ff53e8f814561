import type { VerifierDefinition } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';
import { findVerifiers } from './find-verifiers.js';

/** `phaseline verifiers list AGENT`. Throws UnknownDefinition, InvalidDefinitions. */
export async function listVerifiers({ out, env }: CommandContext, agent: string): Promise<ExitCode> {
  const verifiers = await findVerifiers(env, agent);
  if (out.isStructured) {
    out.writeDocument({ items: verifiers });
    return exitCode.ok;
  }
  if (verifiers.length === 0)
    out.writeMessage(`The agent ${agent} has no verifier. Put one into the folder 'verifiers' of the agent.`);
  else
    out.writeLines(
      ...renderTable(
        [
          { title: 'VERIFIER', cell: (row) => row.name },
          { title: 'KIND', cell: ({ kind = 'command' }) => kind },
          { title: 'READS', cell: (row) => describeReads(row) },
          { title: 'COMMAND', cell: (row) => toPrintable(describeCommand(row)) },
        ],
        verifiers,
        { width: out.columns, title: out.paint.dim },
      ),
    );
  return exitCode.ok;
}

function describeReads({ reads, argv }: VerifierDefinition): string {
  if (!argv) return 'tap';
  return (['junit', 'tap', 'json'] as const).find((name) => reads?.[name] !== undefined) ?? 'exit code';
}

function describeCommand({ argv, requests = [], queries = [] }: VerifierDefinition): string {
  if (argv) return argv.join(' ');
  return requests.length > 0
    ? requests.map(({ method, url }) => `${method} ${url}`).join(', ')
    : queries.map(({ sql }) => sql).join('; ');
}
