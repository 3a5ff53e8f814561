import { parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { withPostgres } from '../with-postgres.js';
import { renderSoak } from './render-soak.js';
import { runSoak, type SoakProgress } from './run-soak.js';

const HELP = `npm run soak -- [commands] [options]

Sends random commands from eight processes to the same jobs, on an embedded PostgreSQL that flushes to disk, while connections
are cut and the replicas that update the read models are killed. Then compares the log with the responses that the writers
received, and the read models with the fold of the log.

  --commands N   commands of all writers together (default 1000000)
  --writers N    writer processes (default 8)
  --seed S       determines the commands (default 1)
  --json         prints the figures as JSON
  --help         prints this text

Exits with code 1 if a check fails.
`;

export const commandsScenario: Scenario = {
  summary: 'random commands from several processes, while connections are cut and readers killed',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        commands: { type: 'string', default: '1000000' },
        writers: { type: 'string', default: '8' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const commands = parseWholeNumber('commands', values.commands);
    const writers = parseWholeNumber('writers', values.writers);
    const seed = parseWholeNumber('seed', values.seed, 0);
    const report = await withPostgres(({ serviceUrl }) =>
      runSoak({ databaseUrl: serviceUrl, commands, writers, seed, onProgress: createProgressPrinter() }),
    );
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderSoak(report));
    return report.passed;
  },
};

/** Creates a progress callback that prints at most every 5 s per stage. */
function createProgressPrinter(): (progress: SoakProgress) => void {
  let lastPrinted = { stage: '', at: 0 };
  return ({ stage, done, of }) => {
    const now = performance.now();
    if (stage === lastPrinted.stage && now - lastPrinted.at < 5_000) return;
    lastPrinted = { stage, at: now };
    const share = of === 0 ? 0 : Math.floor((100 * done) / of);
    process.stderr.write(
      `${stage} ${String(share).padStart(3)} %  ${done.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}\n`,
    );
  };
}
