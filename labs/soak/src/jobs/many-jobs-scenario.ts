import { parseChoice, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { CONCURRENT_REQUESTS, runManyJobs } from './many-jobs.js';
import { noteOnStderr, printReport } from './print-report.js';
import { renderManyJobs } from './render-many-jobs.js';
import { CONCURRENT_PHASES, CONCURRENT_TOOL_CALLS } from './with-stack.js';

const HELP = `npm run soak -- many-jobs [options]

Submits jobs of four to six steps over HTTP to the stack as deployed, as fast as they are accepted, and waits until all have completed.
Each job reads its task, makes one remote call, writes one to three files and completes its todo.

Limits of the run: ${CONCURRENT_REQUESTS} submissions are sent at once. ${CONCURRENT_PHASES} phases (PHASELINE_CONCURRENT_PHASES) and ${CONCURRENT_TOOL_CALLS} remote calls
(PHASELINE_CONCURRENT_TOOL_CALLS) run at once; the other jobs wait for a slot. Tenants have no limit of their own, and the HTTP API
limits no rate.

  --jobs N     number of jobs (default 5000)
  --queues Q   where the queues are: postgres or redis (default postgres)
  --seed S     determines how many files each job writes (default 1)
  --json       prints the figures as JSON, with all samples
  --help       prints this text

Exits with code 1 and prints no figures if a job did not complete, a step is missing in the log, or a hash of the log is wrong.
`;

export const manyJobsScenario: Scenario = {
  summary: '5,000 jobs submitted at once to the stack as deployed',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        jobs: { type: 'string', default: '5000' },
        queues: { type: 'string', default: 'postgres' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const options = {
      jobs: parseWholeNumber('jobs', values.jobs),
      queues: parseChoice('queues', values.queues, ['postgres', 'redis']),
      seed: parseWholeNumber('seed', values.seed, 0),
      note: noteOnStderr,
    };
    return printReport(values.json, () => runManyJobs(options), renderManyJobs);
  },
};
