import { parseChoice, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { runLongJob } from './long-job.js';
import { noteOnStderr, printReport } from './print-report.js';
import { renderLongJob } from './render-long-job.js';

const HELP = `npm run soak -- long-job [options]

Runs one job on the stack as deployed, in phases of about 240 steps, as agents work: it writes and reads files, looks up earlier
mistakes with a remote call, and completes todos. Counts per tenth of the job what must not grow: commits, rows and pages of 8 KiB that
the database reads per step, and tokens per prompt. The counts are of all services, so they include what they do at rest. Connections
report them late, so they mean nothing where a tenth takes less than about ten seconds.

Then reads the state of the job at random positions over HTTP and compares it with the log. Last, forks the job at the beginning of its
last phase, kills the tactical-worker with SIGKILL while the fork works, and waits until the fork has completed.

  --steps N    steps of the job, rounded up so that all phases have the same length (default 24000)
  --queues Q   where the queues are: postgres or redis (default postgres)
  --seed S     determines the positions (default 1)
  --json       prints the figures as JSON, with all samples
  --help       prints this text

Limits of the run: the job has no budget, and its workflow allows as many phases as it needs. Exits with code 1 and prints no figures if
the job or its fork did not complete, a step is missing in the log, a state differs from the log, or a hash of the log is wrong.
`;

export const longJobScenario: Scenario = {
  summary: 'one job of 24,000 steps, whose steps must not become more expensive',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        steps: { type: 'string', default: '24000' },
        queues: { type: 'string', default: 'postgres' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const options = {
      steps: parseWholeNumber('steps', values.steps, 20),
      queues: parseChoice('queues', values.queues, ['postgres', 'redis']),
      seed: parseWholeNumber('seed', values.seed, 0),
      note: noteOnStderr,
    };
    return printReport(values.json, () => runLongJob(options), renderLongJob);
  },
};
