import { parseCommandLine, parseChoice, parseWholeNumber } from '@phaseline/harness';
import { buildFullFaultList, buildShortFaultList } from './fault-list.js';
import { RedisMissing, type QueueBackend } from './fleet/fleet.js';
import { measureRecovery, type RecoveryReport } from './recovery/measure-recovery.js';
import { renderChaos, renderRecovery } from './report/render-report.js';
import { runChaos, type ChaosReport } from './run-chaos.js';

const HELP = `npm run chaos -- [options]

Runs the whole system as separate processes and injects faults while jobs run.

  --backend B   postgres or redis (default: both)
  --only TEXT   only faults whose name contains this text (worker., Redis, SIGSTOP), or recovery
  --short       one fault per group, without recovery times
  --kills N     losses per kind for the recovery times (default 20)
  --seed S      chooses order and victims (default: a new one each time)
  --json        prints the results as one JSON document; progress goes to standard error
  --keep        keeps logs and data, and prints where they are
  --help        prints this text

Exits with code 1 if no fault was injected, a job was lost or did not complete, an effect was doubled, a hash was wrong, a fault point was not reached or a recovery was too slow.
`;

const values = parseCommandLine(HELP, {
  backend: { type: 'string' },
  only: { type: 'string' },
  short: { type: 'boolean', default: false },
  kills: { type: 'string', default: '20' },
  seed: { type: 'string' },
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
});
const known: readonly QueueBackend[] = ['postgres', 'redis'];
const backends = values.backend === undefined ? known : [parseChoice('backend', values.backend, known)];
const seed = parseWholeNumber('seed', values.seed ?? String(Date.now() % 100_000), 0);
const kills = parseWholeNumber('kills', values.kills);
const started = Date.now();
const reportProgress = (line: string): void => {
  const at = `${((Date.now() - started) / 1000).toFixed(0)} s`.padStart(6);
  (values.json ? process.stderr : process.stdout).write(`${at}  ${line}\n`);
};

const common = { replicas: 2, shape: { rounds: 2, todos: 3 }, modelMs: 80, jobsAtOnce: 6, keep: values.keep };
const reports: ChaosReport[] = [];
const recoveries: RecoveryReport[] = [];
let passed = true;

for (const backend of backends) {
  try {
    const list = values.short ? buildShortFaultList(backend) : buildFullFaultList(backend, seed);
    const faults = list.filter(({ name }) => values.only === undefined || name.includes(values.only));
    reportProgress(`${backend}: ${faults.length} faults, seed ${seed}`);
    if (faults.length > 0) {
      const report = await runChaos({ ...common, backend, faults, pauseMs: 200, seed, onProgress: reportProgress });
      reports.push(report);
      passed &&= report.passed;
      if (!values.json) process.stdout.write(`\n${renderChaos(report)}\n\n`);
    }
    if (!values.short && (values.only === undefined || values.only === 'recovery')) {
      const recovery = await measureRecovery({
        ...common,
        backend,
        kills,
        blocks: 6,
        onProgress: reportProgress,
      });
      recoveries.push(recovery);
      passed &&= recovery.passed;
      if (!values.json) process.stdout.write(`\n${renderRecovery(recovery)}\n\n`);
    }
  } catch (error) {
    if (!(error instanceof RedisMissing)) throw error;
    reportProgress(`redis: skipped, ${error.message}`);
  }
}
if (reports.length === 0 && recoveries.length === 0) {
  process.stderr.write('No fault was injected: none has this name, or the backend is not installed.\n');
  passed = false;
}
if (values.json) process.stdout.write(`${JSON.stringify({ seed, reports, recoveries, passed }, null, 2)}\n`);
process.exitCode = passed ? 0 : 1;
