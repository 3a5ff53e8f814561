import {
  formatInterval,
  formatOverConfidence,
  formatShare,
  listCalibrationLines,
  type CalibrationGroup,
  type CalibrationLine,
  type CalibrationQuery,
} from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { formatCount } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';

/** `phaseline learning calibration`: shows the confidence of drafts of plans against what became of them. */
export async function showCalibration(context: CommandContext, options: CalibrationQuery): Promise<ExitCode> {
  const { out, signal } = context;
  const report = await (await connect(context)).calibration(options, { signal });
  if (out.isStructured) out.writeDocument(report);
  else if (report.items.length === 0)
    out.writeMessage('No draft of a plan was approved, changed or found invalid yet.');
  else out.writeLines(...renderCalibration(report.items, out.paint.dim, out.columns));
  return exitCode.ok;
}

/** Renders one line per agent, model and band, and one for all bands together. */
export function renderCalibration(
  groups: readonly CalibrationGroup[],
  title: (text: string) => string,
  width: number | undefined,
): string[] {
  return renderTable<CalibrationLine>(columns, groups.flatMap(listCalibrationLines), { width, title });
}

const columns: readonly Column<CalibrationLine>[] = [
  { title: 'agent', cell: ({ agent }) => toPrintable(agent) },
  { title: 'model', cell: ({ model }) => toPrintable(model ?? '–') },
  { title: 'confidence', cell: ({ band }) => band },
  ...(['approved', 'changed', 'invalid', 'aborted'] as const).map((outcome): Column<CalibrationLine> => ({
    ...{ title: outcome, align: 'right' },
    cell: ({ counts }) => formatCount(counts[outcome]),
  })),
  { title: 'mean', align: 'right', cell: ({ meanConfidence }) => formatShare(meanConfidence) },
  { title: 'held', align: 'right', cell: ({ shareApproved }) => formatShare(shareApproved) },
  { title: 'over-confidence', cell: (line) => `${formatOverConfidence(line)} ${formatInterval(line)}`.trimEnd() },
];
