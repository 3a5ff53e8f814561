import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '@phaseline/contracts';
import type { EventStore, RecordedEvent } from '@phaseline/event-store';
import { randomFrom } from '@phaseline/harness';
import type { RunningStack } from '../../apps/cli/src/stack/start-stack.js';

export const KILLED_SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
type KilledService = (typeof KILLED_SERVICES)[number];

/** A kind of moment at which a service is killed, recognised by an event with which it begins. */
interface Kind {
  readonly name: string;
  readonly service: KilledService;
  readonly kills: number;
  /** The kill follows the event after a random time up to this, in milliseconds. */
  readonly withinMs: number;
  readonly begins: (event: RecordedEvent, kindOfPhase: string | undefined) => boolean;
}

const isCall =
  (name: string): Kind['begins'] =>
  ({ type, data }) =>
    type === 'ToolCallRequested' && data['name'] === name;
const isModelCall =
  (phase: string, purpose?: string): Kind['begins'] =>
  ({ type, data }, kind) =>
    type === 'ModelCallStarted' && kind === phase && data['purpose'] === purpose;

/** At most five kills per service: the supervisor gives up a service that ends six times in a row without having been ready for long. */
const KINDS: readonly Kind[] = [
  { name: 'a verifier', service: 'tool-runner', kills: 3, withinMs: 1_500, begins: isCall('run_verifier') },
  { name: 'a command', service: 'tool-runner', kills: 2, withinMs: 800, begins: isCall('run_command') },
  { name: 'planning', service: 'strategic-worker', kills: 3, withinMs: 150, begins: isModelCall('strategic') },
  { name: 'work', service: 'tactical-worker', kills: 2, withinMs: 150, begins: isModelCall('tactical') },
  { name: 'a judge', service: 'tactical-worker', kills: 2, withinMs: 120, begins: isModelCall('tactical', 'judge') },
  { name: 'a claim', service: 'tactical-worker', kills: 1, withinMs: 50, begins: ({ type }) => type === 'ClaimRaised' },
  {
    name: 'a handoff',
    service: 'orchestrator',
    kills: 2,
    withinMs: 100,
    begins: ({ type }) => type === 'HandoffIssued',
  },
  { name: 'an end', service: 'orchestrator', kills: 1, withinMs: 100, begins: ({ type }) => type === 'PhaseCompleted' },
  { name: 'any event', service: 'orchestrator', kills: 2, withinMs: 1_000, begins: () => true },
];

interface Moments extends Kind {
  /** Number of moments of the kind in an undisturbed job. */
  readonly count: number;
}

/** Counts the moments of each kind in an undisturbed job, from which the kills are drawn. */
export function chooseMoments(events: readonly RecordedEvent[]): readonly Moments[] {
  const kindOf = readPhaseKinds();
  const seen = events.map((event) => [event, kindOf(event)] as const);
  return KINDS.map((kind) => ({ ...kind, count: seen.filter(([event, phase]) => kind.begins(event, phase)).length }));
}

/** Returns a function that learns the kinds of phases from the events that it is given, and tells that of the phase of each. */
function readPhaseKinds(): (event: RecordedEvent) => string | undefined {
  const kinds = new Map<string, string>();
  return ({ type, streamId, data }) => {
    if (type === 'PhaseStarted') kinds.set(streamId, (data['identity'] as { readonly kind: string }).kind);
    return kinds.get(streamId);
  };
}

/** Kills services with SIGKILL while a job runs, at moments that a seed draws. */
export class ServiceKiller {
  /** For people: what was killed when. */
  readonly lines: string[] = [];
  private readonly random: () => number;
  private readonly drawn: { readonly moments: Moments; seen: number; kills: number }[];
  private readonly kills = new Map<KilledService, number>();
  private readonly restarting = new Set<KilledService>();
  private isStopped = false;

  constructor(
    private readonly stack: RunningStack,
    moments: readonly Moments[],
    seed: number,
  ) {
    this.random = randomFrom(seed);
    this.drawn = moments.map((one) => ({ moments: one, seen: 0, kills: 0 }));
  }

  count(service: KilledService): number {
    return this.kills.get(service) ?? 0;
  }

  /** Kinds of moments at which nothing was killed. */
  get missed(): readonly string[] {
    return this.drawn.filter(({ kills }) => kills === 0).map(({ moments }) => moments.name);
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Follows the log of a job until `stop`. */
  async follow(log: EventStore, jobId: JobId): Promise<never> {
    const kindOf = readPhaseKinds();
    let after = 0;
    while (!this.isStopped) {
      const events = await log.readCorrelation(jobId, { after });
      for (const event of events) this.notice(event, kindOf(event));
      after = events.at(-1)?.position ?? after;
      await sleep(20);
    }
    return new Promise<never>(() => {});
  }

  private notice(event: RecordedEvent, phase: string | undefined): void {
    for (const one of this.drawn) {
      const { name, service, kills, count, withinMs, begins } = one.moments;
      if (!begins(event, phase)) continue;
      one.seen += 1;
      // Draws as many of the moments that are left as kills are left; one that finds the service dead is made up for later.
      const left = Math.max(1, count - one.seen + 1);
      if (this.random() >= (kills - one.kills) / left || this.restarting.has(service)) continue;
      const found = this.stack.services().find((status) => status.name === service);
      if (!found?.isReady || found.pid === undefined) continue;
      one.kills += 1;
      void this.kill(service, found.pid, Math.round(this.random() * withinMs), `${name}, event ${event.position}`);
    }
  }

  private async kill(service: KilledService, pid: number, afterMs: number, moment: string): Promise<void> {
    this.restarting.add(service);
    await sleep(afterMs);
    process.kill(pid, 'SIGKILL');
    this.kills.set(service, this.count(service) + 1);
    this.lines.push(`${service} killed ${afterMs} ms after the beginning of ${moment}`);
    const isBack = (): boolean =>
      this.stack.services().some((status) => status.name === service && status.isReady && status.pid !== pid);
    while (!isBack() && !this.isStopped) await sleep(50);
    this.restarting.delete(service);
  }
}
