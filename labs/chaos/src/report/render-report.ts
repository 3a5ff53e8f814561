import { BLOCK_MS, percentile, type RecoveryReport } from '../recovery/measure-recovery.js';
import type { ChaosReport } from '../run-chaos.js';

/** Renders one run on a backend as the tables of docs/concepts/reliability.md. */
export function renderChaos({ backend, faults, jobs, audit, tookMs }: ChaosReport): string {
  const once = {
    calls: sum(jobs, (job) => job.onceCalls),
    done: sum(jobs, (job) => job.onceDone),
    unknownDone: sum(jobs, (job) => job.unknownDone),
    unknownNotDone: sum(jobs, (job) => job.unknownNotDone),
  };
  const doubled = sum(jobs, (job) => job.doubled);
  const lost = jobs.filter(({ losses }) => losses.length > 0);
  const rows = faults.map(({ name, injected, notReached, jobs: hit, survived, lost: gone, doubled: twice }) => [
    notReached > 0 ? `${name} (not reached ${notReached} times)` : name,
    ...[injected, hit, survived, gone, twice].map(String),
  ]);
  return [
    `### ${title(backend)}`,
    '',
    table(['fault', 'injections', 'running jobs', 'survived', 'lost', 'doubled effects'], rows),
    '',
    `${sum(faults, (fault) => fault.injected)} injections over ${jobs.length} jobs in ${Math.round(tookMs / 1000)} s: ` +
      `${jobs.length - lost.length} ended with exactly the expected output, ${lost.length} did not. ` +
      `Phases taken over: ${sum(jobs, (job) => job.takeovers)}. ` +
      `Of ${once.calls} \`once\` calls ${once.done} have a result and exactly one effect, ` +
      `${once.unknownDone + once.unknownNotDone} have an unknown outcome (${once.unknownDone} took effect, ${once.unknownNotDone} did not); ` +
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
    table(['lost process, and the evidence that its work continued', 'kills', 'p50', 'p99', 'max'], rows),
    '',
    `${blocks.blocked} processes had their event loop blocked for ${BLOCK_MS / 1000} s in the middle of their work: ` +
      `${blocks.takeovers} takeovers, ${blocks.partitionsMoved} partitions moved. Jobs lost: ${lost}, effects doubled: ${doubled}.`,
  ].join('\n');
}

function title(backend: ChaosReport['backend']): string {
  return backend === 'redis' ? 'queues on Redis' : 'queues on PostgreSQL';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
