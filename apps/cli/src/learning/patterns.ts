import { parse, resolve } from 'node:path';
import type { PatternRecord, PatternsQuery } from '@phaseline/client';
import { stringify } from 'yaml';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, formatUsd } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';
import { writeNewFile } from './write-new-file.js';

/** `phaseline learning patterns`: lists mistakes that agents made at least five times. */
export async function listPatterns(context: CommandContext, options: PatternsQuery): Promise<ExitCode> {
  const { out, signal } = context;
  const items = await (await connect(context)).learning.patterns(options, { signal });
  if (out.isStructured) out.writeDocument({ items });
  else if (items.length === 0) out.writeMessage('No mistake was made five times or more.');
  else out.writeLines(...renderTable<PatternRecord>(columns, items, { width: out.columns, title: out.paint.dim }));
  return exitCode.ok;
}

const columns: readonly Column<PatternRecord>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'times', align: 'right', cell: ({ support }) => formatCount(support) },
  { title: 'jobs', align: 'right', cell: ({ jobs }) => formatCount(jobs) },
  { title: 'tokens', align: 'right', cell: ({ tokens }) => formatCount(tokens) },
  { title: 'cost', align: 'right', cell: ({ costMicroUsd }) => formatUsd(costMicroUsd) },
  { title: 'last', cell: ({ last }) => last.slice(0, 19) },
  { title: 'agent', cell: ({ agent }) => toPrintable(agent) },
  { title: 'point', cell: ({ point }) => toPrintable(point ?? '–') },
  { title: 'call', cell: ({ tool, shape }) => toPrintable(tool === undefined ? '–' : `${tool} (${shape ?? ''})`) },
  { title: 'files', cell: ({ files }) => toPrintable(files ?? '–') },
  { title: 'reason', cell: ({ reason, guard }) => toPrintable(guard === undefined ? reason : `${reason} (${guard})`) },
  { title: 'proposals', cell: ({ proposals }) => toPrintable(proposals.join(', ')) },
];

/** `phaseline learning create-guard PATTERN`: writes the file of a rule that denies the calls of a pattern. */
export async function createGuard(
  context: CommandContext,
  pattern: string,
  { output }: { readonly output?: string },
): Promise<ExitCode> {
  const { out, signal, currentDirectory } = context;
  const { guard: proposed, problem } = await (await connect(context)).learning.proposeGuard(pattern, { signal });
  if (!proposed) {
    if (out.isStructured) out.writeDocument({ pattern, problem });
    else out.writeMessage(`Pattern ${pattern} has no rule: ${toPrintable(problem ?? 'the server gives no reason')}.`);
    return exitCode.failed;
  }
  const file = output ?? `${String(proposed['name'])}.yaml`;
  // A guard has the name of its file.
  const guard = { ...proposed, name: parse(file).name };
  await writeNewFile(resolve(currentDirectory, file), stringify(guard), 'Choose another file with --output.');
  if (out.isStructured) out.writeDocument({ pattern, file, guard });
  else out.writeLines(`${file}: a draft. Read it, then add it: phaseline guards add ${file}`);
  return exitCode.ok;
}
