import type { Host } from '../process/host.js';
import type { Chance } from '@phaseline/harness';
import type { FaultPlan } from '../schedule/faults.js';

export interface FaultTarget {
  flush(): void;
  makeUnreachable(what: 'log' | 'queues' | 'models' | 'working models', ms: number): void;
  hosts(): readonly Host[];
}

/** Maximum number of site-wide faults per run. */
const OCCASIONS = 10;
/** Maximum number of outages of the model server per run. */
const OUTAGES = 3;

/** Range by which the clock of a machine is set ahead or back, in milliseconds. */
const CLOCK_STEPS = {
  'clock ahead': [100, 25_000],
  'clock behind': [-25_000, -100],
  'clock far ahead': [60_000, 3_600_000],
  'clock far behind': [-3_600_000, -60_000],
} as const;

/** Schedules site-wide faults: outages, flushed queues, restarts of all processes. */
export function scheduleSiteFaults(
  chance: Chance,
  faults: FaultPlan,
  untilMs: number,
  after: (ms: number, trouble: () => void) => void,
  site: FaultTarget,
): void {
  for (let occasion = 1; occasion <= OCCASIONS; occasion += 1) {
    const at = `world #${occasion}`;
    const fault = faults.draw('world', at);
    if (fault === undefined) continue;
    const roll = chance.rollFor(at);
    after(roll.between(0, untilMs * 0.8), () => {
      switch (fault) {
        case 'queues flushed':
          site.flush();
          break;
        case 'all restart':
          for (const host of site.hosts()) host.crash();
          break;
        case 'one stops':
          roll.pick(site.hosts()).stop();
          break;
        case 'log away':
          site.makeUnreachable('log', roll.between(200, 15_000));
          break;
        case 'queues away':
          site.makeUnreachable('queues', roll.between(200, 15_000));
      }
    });
  }
  for (let occasion = 1; occasion <= OUTAGES; occasion += 1) {
    const at = `outage #${occasion}`;
    const fault = faults.draw('outage', at);
    if (fault === undefined) continue;
    const roll = chance.rollFor(at);
    // Can outlast the retries of the model profile.
    after(roll.between(0, untilMs * 0.6), () =>
      site.makeUnreachable(fault === 'models away' ? 'models' : 'working models', roll.between(5_000, 90_000)),
    );
  }
}

/** Sets the clocks of single machines ahead or back for a while. After `untilMs` all clocks are right. */
export function scheduleClockFaults(
  chance: Chance,
  faults: FaultPlan,
  untilMs: number,
  after: (ms: number, trouble: () => void) => void,
  hosts: () => readonly Host[],
): void {
  for (let occasion = 1; occasion <= OCCASIONS; occasion += 1) {
    const at = `clock #${occasion}`;
    const fault = faults.draw('clock', at);
    if (fault === undefined || !(fault in CLOCK_STEPS)) continue;
    const [from, to] = CLOCK_STEPS[fault as keyof typeof CLOCK_STEPS];
    const roll = chance.rollFor(at);
    const begins = roll.between(0, untilMs * 0.8);
    after(begins, () => {
      const host = roll.pick(hosts());
      host.clockAheadMs = roll.between(from, to);
      after(Math.min(roll.between(1_000, 40_000), untilMs - begins), () => (host.clockAheadMs = 0));
    });
  }
}
