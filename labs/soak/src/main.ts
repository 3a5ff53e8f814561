import { exitWithUsageError } from '@phaseline/harness';
import { commandsScenario } from './commands/commands-scenario.js';
import { loadScenario } from './jobs/load-scenario.js';
import { longJobScenario } from './jobs/long-job-scenario.js';
import { manyJobsScenario } from './jobs/many-jobs-scenario.js';
import { waitingJobsScenario } from './jobs/waiting-jobs-scenario.js';
import { logScenario } from './log/log-scenario.js';
import type { Scenario } from './scenario.js';

const scenarios: Readonly<Record<string, Scenario>> = {
  commands: commandsScenario,
  log: logScenario,
  'long-job': longJobScenario,
  'many-jobs': manyJobsScenario,
  load: loadScenario,
  'waiting-jobs': waitingJobsScenario,
};

const HELP = `npm run soak -- [SCENARIO] [options]

Runs the system under load for minutes to hours, and prints figures only if every check of the log passes.

${Object.entries(scenarios)
  .map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}\n`)
  .join('')}
Without a scenario, options are those of \`commands\`. SCENARIO --help lists the options of a scenario.
Each takes --json. Exits with code 1 if a check fails.
`;

const [first, ...rest] = process.argv.slice(2);
if (first === '--help') {
  process.stdout.write(HELP);
} else {
  const isNamed = first !== undefined && !first.startsWith('-');
  const name = isNamed ? first : 'commands';
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (!scenario) exitWithUsageError(`unknown scenario ${name}; expected one of ${Object.keys(scenarios).join(', ')}`);
  const passed = await scenario.run(isNamed ? rest : process.argv.slice(2));
  process.exitCode = passed ? 0 : 1;
}
