import { parseChoice, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { CONCURRENT_REQUESTS } from './many-jobs.js';
import { noteOnStderr, printReport } from './print-report.js';
import { renderWaitingJobs } from './render-waiting-jobs.js';
import { runWaitingJobs } from './waiting-jobs.js';
import { CONCURRENT_PHASES } from './with-stack.js';

const HELP = `npm run soak -- waiting-jobs [options]

Submits jobs that each ask a person, to the stack as deployed. When all of them wait, counts commits and memory for some time. Then
answers every question over HTTP; each job writes its answer to a file and completes.

Limits of the run: ${CONCURRENT_REQUESTS} requests are sent at once, and ${CONCURRENT_PHASES} phases (PHASELINE_CONCURRENT_PHASES) run at once. A job that waits
for an answer needs no slot. Tenants have no limit of their own, and the HTTP API limits no rate.

  --jobs N           number of jobs (default 5000)
  --rest-seconds N   how long commits are counted while all wait (default 60)
  --queues Q         where the queues are: postgres or redis (default postgres)
  --json             prints the figures as JSON, with all samples
  --help             prints this text

Exits with code 1 and prints no figures if a question is missing in the inbox, a job did not complete, a step is missing in the log, or
a hash of the log is wrong.
`;

export const waitingJobsScenario: Scenario = {
  summary: '5,000 jobs that wait for a person, and are then answered',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        jobs: { type: 'string', default: '5000' },
        'rest-seconds': { type: 'string', default: '60' },
        queues: { type: 'string', default: 'postgres' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const options = {
      jobs: parseWholeNumber('jobs', values.jobs),
      restSeconds: parseWholeNumber('rest-seconds', values['rest-seconds']),
      queues: parseChoice('queues', values.queues, ['postgres', 'redis']),
      note: noteOnStderr,
    };
    return printReport(values.json, () => runWaitingJobs(options), renderWaitingJobs);
  },
};
