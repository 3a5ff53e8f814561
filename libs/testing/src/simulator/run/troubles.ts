import type { Host } from '../process/host.js';
import type { Chance } from '../schedule/chance.js';
import type { FaultPlan } from '../schedule/faults.js';

export interface Troubled {
  flush(): void;
  away(what: 'log' | 'queues' | 'models' | 'working models', ms: number): void;
  hosts(): readonly Host[];
}

/** How many times in a run something may happen to the site as a whole. */
const OCCASIONS = 10;
/** How many times in a run the model server may go away. */
const OUTAGES = 3;

/** Schedules what happens to the site as a whole: outages, flushed queues, restarts of everything. */
export function troubles(
  chance: Chance,
  faults: FaultPlan,
  untilMs: number,
  after: (ms: number, trouble: () => void) => void,
  site: Troubled,
): void {
  for (let occasion = 1; occasion <= OCCASIONS; occasion += 1) {
    const at = `world #${occasion}`;
    const fault = faults.draw('world', at);
    if (fault === undefined) continue;
    const roll = chance.at(at);
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
          site.away('log', roll.between(200, 15_000));
          break;
        case 'queues away':
          site.away('queues', roll.between(200, 15_000));
      }
    });
  }
  for (let occasion = 1; occasion <= OUTAGES; occasion += 1) {
    const at = `outage #${occasion}`;
    const fault = faults.draw('outage', at);
    if (fault === undefined) continue;
    const roll = chance.at(at);
    // Longer than the retries of the model profile last.
    after(roll.between(0, untilMs * 0.6), () =>
      site.away(fault === 'models away' ? 'models' : 'working models', roll.between(5_000, 90_000)),
    );
  }
}
