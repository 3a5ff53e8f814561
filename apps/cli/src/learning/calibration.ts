import type { CalibrationGroup, CalibrationQuery } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { formatCount } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';

/** A line of the table: a band, or all drafts of an agent and a model. */
interface Line extends Omit<CalibrationGroup, 'bands'> {
  readonly band: string;
}

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
  return renderTable<Line>(columns, groups.flatMap(toLines), { width, title });
}

const columns: readonly Column<Line>[] = [
  { title: 'agent', cell: ({ agent }) => toPrintable(agent) },
  { title: 'model', cell: ({ model }) => toPrintable(model ?? '–') },
  { title: 'confidence', cell: ({ band }) => band },
  ...(['approved', 'changed', 'invalid', 'aborted'] as const).map((outcome): Column<Line> => ({
    ...{ title: outcome, align: 'right' },
    cell: ({ counts }) => formatCount(counts[outcome]),
  })),
  { title: 'mean', align: 'right', cell: ({ meanConfidence }) => formatShare(meanConfidence) },
  { title: 'held', align: 'right', cell: ({ shareApproved }) => formatShare(shareApproved) },
  { title: 'over-confidence', cell: formatOverConfidence },
];

function toLines({ agent, model, bands, ...all }: CalibrationGroup): readonly Line[] {
  return [
    ...bands.map(({ from, to, ...band }) => ({ agent, model, ...band, band: `${from} to ${to}` })),
    { agent, model, ...all, band: 'all' },
  ];
}

function formatShare(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}

/** The value with its interval, such as `+0.21 (+0.15 to +0.27)`. */
function formatOverConfidence({ overConfidence, interval }: Pick<Line, 'overConfidence' | 'interval'>): string {
  if (overConfidence === null) return '–';
  const range = interval ? ` (${formatSigned(interval[0])} to ${formatSigned(interval[1])})` : '';
  return `${formatSigned(overConfidence)}${range}`;
}

function formatSigned(value: number): string {
  const text = value.toFixed(2);
  return value < 0 || text === '0.00' ? text : `+${text}`;
}
