import { percentile, renderMarkdownTable } from '@phaseline/harness';
import { BLOCK_MS, type RecoveryReport } from '../recovery/measure-recovery.js';
import type { ChaosReport } from '../run-chaos.js';

/** Renders one run on a backend as the tables of docs/reference/reliability-runs.md. */
export function renderChaos({ backend, faults, jobs, audit, elapsedMs }: ChaosReport): string {
  const once = {
    calls: sum(jobs, (job) => job.onceCalls),
    done: sum(jobs, (job) => job.onceDone),
    unknownWithEffect: sum(jobs, (job) => job.unknownWithEffect),
    unknownWithoutEffect: sum(jobs, (job) => job.unknownWithoutEffect),
  };
  const doubled = sum(jobs, (job) => job.doubled);
  const lost = jobs.filter(({ losses }) => losses.length > 0);
  const rows = [...Map.groupBy(faults, ({ name }) => getFaultGroup(name))].map(([group, members]) => [
    group,
    String(members.length),
    ...[
      sum(members, (fault) => fault.injected),
      sum(members, (fault) => fault.jobs),
      sum(members, (fault) => fault.survived),
    ].map(String),
  ]);
  const problems = faults
    .filter((fault) => fault.notReached + fault.lost + fault.doubled > 0)
    .map((fault) => `${fault.name}: not reached ${fault.notReached}, lost ${fault.lost}, doubled ${fault.doubled}`);
  return [
    `### ${title(backend)}`,
    '',
    renderMarkdownTable(['fault', 'kinds', 'injections', 'running jobs', 'survived'], rows),
    '',
    ...problems.map((problem) => `${problem}\n`),
    `${sum(faults, (fault) => fault.injected)} injections over ${jobs.length} jobs in ${Math.round(elapsedMs / 1000)} s: ` +
      `${jobs.length - lost.length} ended with exactly the expected output, ${lost.length} did not. ` +
      `Phases taken over: ${sum(jobs, (job) => job.takeovers)}. ` +
      `Of ${once.calls} \`once\` calls ${once.done} have a result and exactly one effect, ` +
      `${once.unknownWithEffect + once.unknownWithoutEffect} have an unknown outcome (${once.unknownWithEffect} took effect, ${once.unknownWithoutEffect} did not), ` +
      `${once.calls - once.done - once.unknownWithEffect - once.unknownWithoutEffect} ended otherwise; ` +
      `${doubled} effects were doubled. ` +
      `Audit: ${audit.events} events, ${audit.problems} problems.`,
    ...lost.flatMap(({ jobId, losses }) => ['', `LOST ${jobId}: ${losses.join('; ')}`]),
  ].join('\n');
}

/** Renders how soon the work of lost processes continued. */
export function renderRecovery({ backend, kinds, blocks, lost, doubled }: RecoveryReport): string {
  const rows = kinds.map(({ name, ms }) => [
    name,
    String(ms.length),
    ...[0.5, 0.99, 1].map((share) => `${(percentile(ms, share) / 1000).toFixed(1)} s`),
  ]);
  return [
    `### Recovery, ${title(backend)}`,
    '',
    renderMarkdownTable(['lost process, and the evidence that its work continued', 'kills', 'p50', 'p99', 'max'], rows),
    '',
    `${blocks.blocked} processes had their event loop blocked for ${BLOCK_MS / 1000} s in the middle of their work: ` +
      `${blocks.takeovers} takeovers, ${blocks.partitionsMoved} partitions moved. Jobs lost: ${lost}, effects doubled: ${doubled}.`,
  ].join('\n');
}

/** Returns the row of a fault. All fault points of a process share one row, and so do all faults of one connection. */
function getFaultGroup(name: string): string {
  return name
    .replace(/^(SIG\w+) at .*/, '$1 at a named point')
    .replace(/^(SIG\w+) of .*/, '$1 of a process, at any moment')
    .replace(/^clock of .*/, 'clock of a process 10 min ahead or behind')
    .replace(/^network to the (\w+) .*/, 'network to the $1 slow, cut or half-open');
}

function title(backend: ChaosReport['backend']): string {
  return backend === 'redis' ? 'queues on Redis' : 'queues on PostgreSQL';
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
