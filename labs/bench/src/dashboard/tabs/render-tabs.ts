import { renderMarkdownTable } from '@phaseline/harness';
import { compareThirds, GROWTH_LIMITS } from './find-leaks.js';
import type { TabsReport } from './measure-tabs.js';

/** Share of actions that may fail, because what a tab shows may change before the click. */
const MAX_FAILED_SHARE = 0.02;

/** Lists everything that must not be, in sentences. Empty if the run has passed. */
export function listTabFailures(report: TabsReport): readonly string[] {
  const { leaks, liveConnections, liveConnectionsAfterClose, errors, failedActions, actions } = report;
  const wrong = liveConnections.flatMap((count, index) =>
    count === 1 ? [] : [`the server sees ${count} live connections of the browser at sample ${index + 1}; expected 1`],
  );
  return [
    ...leaks.map(
      ({ name, figure, before, after }) =>
        `${name} leaks: ${figure} ${format(before)} before the last third, ${format(after)} in it; limit +${GROWTH_LIMITS[figure]!.percent} % or +${GROWTH_LIMITS[figure]!.least}`,
    ),
    ...wrong,
    ...(liveConnectionsAfterClose === 0
      ? []
      : [`the server sees ${liveConnectionsAfterClose} live connections after the browser has closed its tabs`]),
    ...errors.map((error) => `uncaught error in the tab ${error}`),
    ...(failedActions.length > actions * MAX_FAILED_SHARE
      ? [`${failedActions.length} of ${actions} actions failed, such as: ${failedActions[0]}`]
      : []),
  ];
}

/** Renders the first and the last sample of every figure, and what is compared. */
export function renderTabs(report: TabsReport): string {
  const rows = report.series.flatMap(({ name, samples }) =>
    Object.keys(samples[0] ?? {}).map((figure) => {
      const values = samples.map((sample) => sample[figure]!);
      const { before, after } = compareThirds(figure, values);
      const isLeak = report.leaks.some((leak) => leak.name === name && leak.figure === figure);
      return [name, figure, ...[values[0]!, values.at(-1)!, before, after].map(format), isLeak ? 'YES' : 'no'];
    }),
  );
  const head = ['what', 'figure', 'first', 'last', 'before the last third', 'in the last third', 'leak'];
  const { minutes, jobs, actions, failedActions, liveConnections, liveConnectionsAfterClose } = report;
  return [
    renderMarkdownTable(head, rows),
    '',
    `${minutes} minutes, ${liveConnections.length} samples, ${jobs} jobs, ${actions} actions (${failedActions.length} of them not possible), seed ${report.seed}.`,
    `Live connections that the server sees: ${[...new Set(liveConnections)].join(', ')} while the tabs are open, ${liveConnectionsAfterClose} after they were closed.`,
    '',
  ].join('\n');
}

/** Describes how much each figure may grow. */
export function describeLimits(): string {
  const units: Readonly<Record<string, string>> = { heap: ' MB', memory: ' MB' };
  return Object.entries(GROWTH_LIMITS)
    .map(([figure, { percent, least }]) => `${figure} ${percent} % or ${least}${units[figure] ?? ''}`)
    .join(', ');
}

function format(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(1);
}
