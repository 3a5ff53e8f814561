import { renderMarkdownTable } from '@phaseline/harness';
import type { MachineUse } from './idle-machine.js';
import { parsePhaseline, SYSTEM_TITLES, type PeerRow, type SystemName } from './measured-system.js';
import { medianRatio, type Target } from './targets.js';

const COMPARED_WITH = ['floor', 'restate', 'dbos', 'langgraph'] as const;

const NOTE = `A step is a model call and a tool call, each recorded durably; model and tool answer at once. Rates are steps in the store per second, from
the first submission to the last completed job. The p50 of Phaseline is the gap between two model calls, that of the others a whole step, so
compare systems by their rates. Each figure is the median of the rounds; a ratio is the median of the ratios of each round.`;

/** Renders the figures of the systems as one table per number of jobs, and the limits with what was measured. */
export function renderPeers(report: {
  readonly rows: readonly PeerRow[];
  readonly targets: readonly Target[];
  readonly machineUse: MachineUse;
  readonly warnings: readonly string[];
}): string {
  const { rows, targets, machineUse, warnings } = report;
  const loads = [...new Set(rows.map(({ jobs }) => jobs))];
  const parts = [
    `Load before the run: ${machineUse.load.toFixed(2)}, ${machineUse.processors} processors.`,
    ...warnings.map((warning) => `! Not comparable: ${warning}.`),
    NOTE,
    ...loads.flatMap((jobs) => renderLoad(rows, jobs)),
    renderMarkdownTable(
      ['target', 'limit', 'measured', ''],
      targets.map(({ what, limit, measured, isMet }) => [
        what,
        limit,
        measured === undefined ? '' : formatMeasured(measured),
        isMet === undefined ? 'not measured' : isMet ? 'met' : 'NOT MET',
      ]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderLoad(rows: readonly PeerRow[], jobs: number): string[] {
  const own = rows.filter((row) => row.jobs === jobs);
  const [first] = own;
  const formatRatio = (system: SystemName, other: SystemName, figure: 'stepsPerSecond' | 'p50Ms'): string =>
    medianRatio(rows, system, other, jobs, figure)?.toFixed(2) ?? '';
  return [
    `${jobs} ${jobs === 1 ? 'job' : 'jobs at once'}, ${first!.stepsPerJob} steps each, ${first!.rounds.length} ${first!.rounds.length === 1 ? 'round' : 'rounds'}:`,
    renderMarkdownTable(
      ['system', 'steps/s', 'min', 'max', ...COMPARED_WITH.map((name) => `/ ${name}`), 'p50 of', 'p50 ms', '/ floor'],
      own.map(({ system, stepsPerSecond, p50Ms, rounds }) => {
        const rates = rounds.map((round) => round.stepsPerSecond);
        return [
          SYSTEM_TITLES[system],
          ...[stepsPerSecond, Math.min(...rates), Math.max(...rates)].map(formatCount),
          ...COMPARED_WITH.map((other) => formatRatio(system, other, 'stepsPerSecond')),
          parsePhaseline(system) ? 'gap' : 'step',
          p50Ms.toFixed(2),
          formatRatio(system, 'floor', 'p50Ms'),
        ];
      }),
    ),
  ];
}

function formatMeasured(value: number): string {
  return value < 100 ? value.toFixed(2) : formatCount(value);
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
