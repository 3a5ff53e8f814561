/**
 * `npm run chaos`: the whole system in processes of its own, with everything broken that can be, while jobs run.
 *
 *   --backend postgres|redis   one of the two; both where it is missing
 *   --only <text>              only faults whose name has this text in it (`worker.`, `Redis`, `SIGSTOP`), or `recovery`
 *   --short                    one fault of each sort, and no recovery times
 *   --kills <n>                losses of each kind for the recovery times; 20
 *   --seed <n>                 decides the order and the victims; another one each time
 *   --json                     the figures as one JSON document; progress goes to standard error
 *   --keep                     leaves logs and data behind, and says where
 *
 * Ends with 1 when a job was lost, an effect doubled, a hash wrong, a fault point not reached or a recovery too slow.
 */
import { parseArgs } from 'node:util';
import { fullList, shortList } from './fault-list.js';
import { RedisMissing, type QueueBackend } from './fleet/fleet.js';
import { measureRecovery, type RecoveryReport } from './recovery/measure-recovery.js';
import { renderChaos, renderRecovery } from './report/render-report.js';
import { runChaos, type ChaosReport } from './run-chaos.js';

const { values } = parseArgs({
  options: {
    backend: { type: 'string' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
if (values.backend !== undefined && values.backend !== 'postgres' && values.backend !== 'redis')
  throw new Error(`--backend is "${values.backend}"; expected postgres or redis`);
const backends: readonly QueueBackend[] = values.backend ? [values.backend] : ['postgres', 'redis'];
const seed = Number(values.seed ?? Date.now() % 100_000);
const started = Date.now();
const say = (line: string): void => {
  const at = `${((Date.now() - started) / 1000).toFixed(0)} s`.padStart(6);
  (values.json ? process.stderr : process.stdout).write(`${at}  ${line}\n`);
};

const common = { replicas: 2, shape: { rounds: 2, todos: 3 }, modelMs: 80, jobsAtOnce: 6, keep: values.keep };
const reports: ChaosReport[] = [];
const recoveries: RecoveryReport[] = [];
let holds = true;

for (const backend of backends) {
  try {
    const list = values.short ? shortList(backend) : fullList(backend, seed);
    const faults = list.filter(({ name }) => values.only === undefined || name.includes(values.only));
    say(`${backend}: ${faults.length} faults, seed ${seed}`);
    if (faults.length > 0) {
      const report = await runChaos({ ...common, backend, faults, pauseMs: 200, seed, onProgress: say });
      reports.push(report);
      holds &&= report.holds;
      if (!values.json) process.stdout.write(`\n${renderChaos(report)}\n\n`);
    }
    if (!values.short && (values.only === undefined || values.only === 'recovery')) {
      const recovery = await measureRecovery({
        ...common,
        backend,
        kills: Number(values.kills),
        blocks: 6,
        onProgress: say,
      });
      recoveries.push(recovery);
      holds &&= recovery.holds;
      if (!values.json) process.stdout.write(`\n${renderRecovery(recovery)}\n\n`);
    }
  } catch (error) {
    if (!(error instanceof RedisMissing)) throw error;
    say(`redis: left out, ${error.message}`);
  }
}
if (values.json) process.stdout.write(`${JSON.stringify({ seed, reports, recoveries, holds }, null, 2)}\n`);
process.exitCode = holds ? 0 : 1;
