import type { PhaseState } from '../phase/phase-state.js';

/** Maximum number of files per line of the summary. The log has the others. */
const MAX_FILES = 20;

/** Renders what a phase did, from its log alone: files, calls by outcome, refusals, cost and time. */
export function renderPhaseSummary({ start, tree, tally, money }: PhaseState): readonly string[] {
  const before = start.workspace.tree;
  const written = Object.keys(tree).filter((path) => !Object.hasOwn(before, path));
  const changed = Object.keys(tree).filter(
    (path) => Object.hasOwn(before, path) && before[path]?.hash !== tree[path]?.hash,
  );
  const deleted = Object.keys(before).filter((path) => !Object.hasOwn(tree, path));
  const { steps, inputTokens, outputTokens, costMicroUsd } = money.spending;
  const unconfirmed = money.unconfirmed.costMicroUsd;
  return [
    `- Files: ${listFiles('new', written)}; ${listFiles('changed', changed)}; ${listFiles('deleted', deleted)}`,
    `- Calls: ${tally.completedCalls} completed, ${tally.failedCalls} failed`,
    `- Refusals: ${tally.deniedCalls} calls denied, ${tally.refusedCalls} refused by a person or expired, ${tally.rejections} ends of the phase rejected by a gate`,
    `- Model: ${steps} steps, ${inputTokens} input tokens, ${outputTokens} output tokens`,
    `- Cost: ${formatUsd(costMicroUsd)}${unconfirmed > 0 ? `, and at most ${formatUsd(unconfirmed)} for answers that were lost` : ''}`,
    `- Time: ${formatSeconds(tally.modelMs)} in answers of the model, ${formatSeconds(tally.callMs)} in calls`,
  ];
}

function listFiles(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return `0 ${what}`;
  const more = paths.length > MAX_FILES ? `, and ${paths.length - MAX_FILES} more` : '';
  return `${paths.length} ${what} (${[...paths].sort().slice(0, MAX_FILES).join(', ')}${more})`;
}

function formatUsd(microUsd: number): string {
  return `${(microUsd / 1_000_000).toFixed(4)} USD`;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
