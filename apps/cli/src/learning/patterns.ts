import { writeFile } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import type { PatternRecord, PatternsQuery } from '@phaseline/client';
import { stringify } from 'yaml';
import type { CommandContext } from '../command/command-context.js';
import { CannotWrite, FilesExist } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, formatUsd } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';

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
  await writeNewFile(resolve(currentDirectory, file), stringify(guard));
  if (out.isStructured) out.writeDocument({ pattern, file, guard });
  else out.writeLines(`${file}: a draft. Read it, then add it: phaseline guards add ${file}`);
  return exitCode.ok;
}

/** Writes a file, and never over one that a person may have changed. */
async function writeNewFile(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new FilesExist(`${file} exists. Choose another file with --output.`, { cause });
    throw new CannotWrite(`${file} cannot be written: ${code}; check the permissions of the folder.`, { cause });
  }
}
