import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres } from '@phaseline/local-stack';
import { commandLine, wholeNumber } from '../command-line.js';
import { renderSoak } from './render-soak.js';
import { runSoak, type SoakProgress } from './run-soak.js';

const HELP = `npm run soak -- [options]

Drawn commands from eight processes on the same jobs, on an embedded PostgreSQL that flushes to the disk, while connections
are cut and the replicas that keep the read models are killed; then holds the log against what the writers were told, and
the read models against the fold.

  --commands N   of all writers together (default 1000000)
  --writers N    processes that write (default 8)
  --seed S       decides the commands (default 1)
  --json         print the figures as JSON
  --help         this text

Ends with code 1 when something does not hold.
`;

const values = commandLine(HELP, {
  commands: { type: 'string', default: '1000000' },
  writers: { type: 'string', default: '8' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});
const commands = wholeNumber('commands', values.commands);
const writers = wholeNumber('writers', values.writers);
const seed = wholeNumber('seed', values.seed, 0);

const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-soak-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
try {
  await migrate(postgres.ownerUrl);
  const report = await runSoak({
    databaseUrl: postgres.serviceUrl,
    commands,
    writers,
    seed,
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
