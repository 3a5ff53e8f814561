import { parseChoice, parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { runLoad } from './load.js';
import { noteOnStderr, printReport } from './print-report.js';
import { renderLoad } from './render-load.js';
import { CONCURRENT_PHASES, CONCURRENT_TOOL_CALLS } from './with-stack.js';

const HELP = `npm run soak -- load [options]

Submits jobs of four to six steps over HTTP to the stack as deployed, at a constant rate, whether or not earlier ones have ended. Prints
rates and waits per minute, and the median memory of each service in the last third of the time compared with the second; the first
third is warm-up.

Limits of the run: ${CONCURRENT_PHASES} phases (PHASELINE_CONCURRENT_PHASES) and ${CONCURRENT_TOOL_CALLS} remote calls (PHASELINE_CONCURRENT_TOOL_CALLS) run at once;
the other jobs wait for a slot. Tenants have no limit of their own, and the HTTP API limits no rate.

  --minutes N           how long jobs are submitted (default 60)
  --jobs-per-minute N   rate of submissions (default 120)
  --queues Q            where the queues are: postgres or redis (default postgres)
  --seed S              determines how many files each job writes (default 1)
  --json                prints the figures as JSON, with all samples
  --help                prints this text

Exits with code 1 and prints no figures if a job did not complete, a step is missing in the log, or a hash of the log is wrong.
`;

export const loadScenario: Scenario = {
  summary: 'an hour of jobs at a constant rate',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        minutes: { type: 'string', default: '60' },
        'jobs-per-minute': { type: 'string', default: '120' },
        queues: { type: 'string', default: 'postgres' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const options = {
      minutes: parseWholeNumber('minutes', values.minutes),
      jobsPerMinute: parseWholeNumber('jobs-per-minute', values['jobs-per-minute']),
      queues: parseChoice('queues', values.queues, ['postgres', 'redis']),
      seed: parseWholeNumber('seed', values.seed, 0),
      note: noteOnStderr,
    };
    return printReport(values.json, () => runLoad(options), renderLoad);
  },
};
