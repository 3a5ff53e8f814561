import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '@phaseline/event-store';
import { startPostgres } from '@phaseline/local-stack';
import { renderSoak } from './render-soak.js';
import { runSoak, type SoakProgress } from './run-soak.js';

/*
 * npm run soak [-- --commands 1000000] [-- --writers 8] [-- --seed 1] [-- --json]
 *
 * A million drawn commands from eight processes on the same jobs, on an embedded PostgreSQL that flushes to the disk, while
 * connections are cut and the replicas that keep the read models are killed; then holds the log against what the writers
 * were told, and the read models against the fold. Exit code 1 when something does not hold.
 */

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '1000000' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-soak-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
try {
  await migrate(postgres.ownerUrl);
  const report = await runSoak({
    databaseUrl: postgres.serviceUrl,
    commands: Number(values.commands),
    writers: Number(values.writers),
    seed: Number(values.seed),
    onProgress: progressTeller(),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderSoak(report));
  process.exitCode = report.holds ? 0 : 1;
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Says now and then how far it is. */
function progressTeller(): (progress: SoakProgress) => void {
  let said = { stage: '', at: 0 };
  return ({ stage, done, of }) => {
    const now = performance.now();
    if (stage === said.stage && now - said.at < 5_000) return;
    said = { stage, at: now };
    const share = of === 0 ? 0 : Math.floor((100 * done) / of);
    process.stderr.write(
      `${stage} ${String(share).padStart(3)} %  ${done.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}\n`,
    );
  };
}
