import type { Check } from './check.js';
import { clocks } from './checks/clocks.js';
import { database } from './checks/database.js';
import { deadLetters } from './checks/dead-letters.js';
import { deadProcesses } from './checks/dead-processes.js';
import { definitions } from './checks/definitions.js';
import { disk } from './checks/disk.js';
import { encryption } from './checks/encryption.js';
import { files } from './checks/files.js';
import { git } from './checks/git.js';
import { migrations } from './checks/migrations.js';
import { missingMessages } from './checks/missing-messages.js';
import { mirror } from './checks/mirror.js';
import { model } from './checks/model.js';
import { node } from './checks/node.js';
import { orphanedMessages } from './checks/orphaned-messages.js';
import { queues } from './checks/queues.js';
import { readers } from './checks/readers.js';
import { readiness } from './checks/readiness.js';
import { redis } from './checks/redis.js';
import { rights } from './checks/rights.js';
import { anchors } from './checks/anchors.js';
import { preferences } from './checks/preferences.js';
import { principals } from './checks/principals.js';
import { sandbox } from './checks/sandbox.js';
import { retention } from './checks/retention.js';
import { guards } from './checks/guards.js';
import { secrets } from './checks/secrets.js';
import { services } from './checks/services.js';
import { quarantinedJobs } from './checks/quarantined-jobs.js';
import { snapshots } from './checks/snapshots.js';
import { transactions } from './checks/transactions.js';
import { versions } from './checks/versions.js';
import { workFolders } from './checks/work-folders.js';
import { openJobs } from './checks/open-jobs.js';

/** All checks, in the order in which they are reported: prerequisites of other checks come first. */
export const allChecks: readonly Check[] = [
  node,
  database,
  migrations,
  rights,
  redis,
  queues,
  services,
  versions,
  readiness,
  git,
  sandbox,
  clocks,
  disk,
  definitions,
  model,
  transactions,
  readers,
  deadProcesses,
  missingMessages,
  orphanedMessages,
  openJobs,
  quarantinedJobs,
  mirror,
  workFolders,
  deadLetters,
  anchors,
  files,
  retention,
  snapshots,
  encryption,
  secrets,
  guards,
  principals,
  preferences,
];
